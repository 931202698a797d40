import { ArchiveError } from '../primitives/archive-error.ts';
import { prefixed } from '../primitives/bytes.ts';
import { hkdf, stretch } from '../primitives/kdf.ts';

/** How a key is derived from a passphrase; the name holds the algorithm, so that a later one can stand beside it. */
export interface Kdf {
  readonly name: 'pbkdf2-hmac-sha256';
  readonly iterations: number;
  readonly salt: Buffer;
}

/** 0.1 to 0.3 s on one core, once per backup. */
export const defaultIterations = 600_000;
/** Fewer would make guessing cheap: a key file that says so was not written by us. */
export const minIterations = 600_000;
/** More would let a key file keep a processor busy for longer than 5 s. */
export const maxIterations = 10_000_000;
export const minKdfSaltBytes = 16;
export const maxKdfSaltBytes = 64;

export const minPassphraseCharacters = 8;
export const maxPassphraseBytes = 1024;

/**
 * The bytes that a passphrase stands for: UTF-8 of its NFC form, so that é typed on one keyboard opens what é typed on
 * another has closed. A lone surrogate has no UTF-8 and would silently become another character, so it is refused.
 */
export const passphraseBytes = (passphrase: string): Buffer => {
  // The form of compatibility characters stays: NFC never changes what a reader sees.
  if (passphrase.length > 4 * maxPassphraseBytes) throw refused(`is longer than ${maxPassphraseBytes} bytes`);
  if (!passphrase.isWellFormed()) throw refused('has half a character in it');
  const normal = passphrase.normalize('NFC');
  const bytes = Buffer.from(normal, 'utf8');
  if ([...normal].length < minPassphraseCharacters) throw refused(`is shorter than ${minPassphraseCharacters} characters`);
  if (bytes.length > maxPassphraseBytes) throw refused(`is longer than ${maxPassphraseBytes} bytes`);
  return bytes;
};

const refused = (why: string): ArchiveError => new ArchiveError('passphrase-refused', `the passphrase ${why}`);

/** A key to wrap with and 32 bytes that tell whether the passphrase was this one, of which neither tells the other. */
export interface PassphraseKeys {
  readonly wrapping: Buffer;
  readonly check: Buffer;
}

/** Parameters from a key file are bounded before any work is done for them. */
export const passphraseKeys = async (passphrase: string, kdf: Kdf): Promise<PassphraseKeys> => {
  checkKdf(kdf);
  const secret = await stretch(passphraseBytes(passphrase), kdf.salt, kdf.iterations);
  const expand = (use: string): Buffer => hkdf(secret, Buffer.alloc(0), prefixed(use));
  const keys = { wrapping: expand('FBK2 key wrapping'), check: expand('FBK2 key check') };
  secret.fill(0);
  return keys;
};

const checkKdf = ({ name, iterations, salt }: Kdf): void => {
  if (name !== 'pbkdf2-hmac-sha256') throw new ArchiveError('kdf-refused', 'an unknown key derivation');
  if (!Number.isInteger(iterations) || iterations < minIterations || iterations > maxIterations)
    throw new ArchiveError('kdf-refused', `${iterations} iterations; from ${minIterations} to ${maxIterations} are taken`);
  if (salt.length < minKdfSaltBytes || salt.length > maxKdfSaltBytes)
    throw new ArchiveError('kdf-refused', `a salt of ${salt.length} bytes`);
};

import { ArchiveError } from '../primitives/archive-error.ts';
import { prefixed } from '../primitives/bytes.ts';
import { hkdf, stretch } from '../primitives/kdf.ts';

/** Key derivation parameters. The name allows other algorithms later. */
export interface Kdf {
  readonly name: 'pbkdf2-hmac-sha256';
  readonly iterations: number;
  readonly salt: Buffer;
}

/** 0.1 to 0.3 s on one core, once per backup. */
export const defaultIterations = 600_000;
/** Fewer iterations would make guessing a passphrase cheap. */
const minIterations = 600_000;
/** 32 random bytes cannot be guessed, so they need no stretching. The minimum of NIST SP 800-132: 0.3 ms. */
export const kmsIterations = 1_000;
/** More iterations would let a forged key file occupy a CPU for more than 5 s. */
const maxIterations = 10_000_000;
export const minKdfSaltBytes = 16;
export const maxKdfSaltBytes = 64;

const minPassphraseCharacters = 8;
const maxPassphraseBytes = 1024;

/**
 * The UTF-8 bytes of the NFC form, so that é opens the backup however it was typed. Lone surrogates are rejected: UTF-8 encoders
 * silently replace them.
 */
export const passphraseBytes = (passphrase: string): Buffer => {
  // NFC keeps compatibility characters.
  if (passphrase.length > 4 * maxPassphraseBytes) throw refused(`is longer than ${maxPassphraseBytes} bytes`);
  if (!passphrase.isWellFormed()) throw refused('contains an unpaired surrogate');
  const normal = passphrase.normalize('NFC');
  const bytes = Buffer.from(normal, 'utf8');
  if ([...normal].length < minPassphraseCharacters) throw refused(`is shorter than ${minPassphraseCharacters} characters`);
  if (bytes.length > maxPassphraseBytes) throw refused(`is longer than ${maxPassphraseBytes} bytes`);
  return bytes;
};

const refused = (why: string): ArchiveError => new ArchiveError('passphrase-refused', `the passphrase ${why}`);

/** The key that seals a data key, and 32 bytes that identify the secret it comes from; neither reveals the other. */
export interface WrappingKeys {
  readonly wrapping: Buffer;
  readonly check: Buffer;
}

/** Checks the parameters of the key file before deriving. */
export const passphraseKeys = async (passphrase: string, kdf: Kdf): Promise<WrappingKeys> => {
  checkKdf(kdf, minIterations);
  return derive(passphraseBytes(passphrase), kdf);
};

/** The same from a secret of 32 random bytes. */
export const kmsSecretKeys = async (secret: Uint8Array, kdf: Kdf): Promise<WrappingKeys> => {
  if (secret.length !== 32) throw new ArchiveError('key-invalid', 'the secret from KMS does not have 32 bytes');
  checkKdf(kdf, 1);
  return derive(secret, kdf);
};

const derive = async (password: Uint8Array, { salt, iterations }: Kdf): Promise<WrappingKeys> => {
  const secret = await stretch(password, salt, iterations);
  const expand = (use: string): Buffer => hkdf(secret, Buffer.alloc(0), prefixed(use));
  const keys = { wrapping: expand('FBK2 key wrapping'), check: expand('FBK2 key check') };
  secret.fill(0);
  return keys;
};

const checkKdf = ({ name, iterations, salt }: Kdf, least: number): void => {
  if (name !== 'pbkdf2-hmac-sha256') throw new ArchiveError('kdf-refused', 'the key derivation is unknown');
  if (!Number.isInteger(iterations) || iterations < least || iterations > maxIterations)
    throw new ArchiveError(
      'kdf-refused',
      `the key derivation has ${iterations} iterations; allowed are ${least} to ${maxIterations}`,
    );
  if (salt.length < minKdfSaltBytes || salt.length > maxKdfSaltBytes)
    throw new ArchiveError('kdf-refused', `the salt has ${salt.length} bytes`);
};

import { timingSafeEqual } from 'node:crypto';
import { gcmOpen, gcmSeal } from '../primitives/aes-gcm.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { prefixed } from '../primitives/bytes.ts';
import { tagBytes } from '../primitives/format-limits.ts';
import { checkIdentity, type Identity } from '../primitives/identity.ts';
import { defaultIterations, type Kdf, minKdfSaltBytes, passphraseKeys } from './passphrase.ts';

/** A data key wrapped by a passphrase, bound to one backup. */
export interface PassphraseWrap {
  readonly kind: 'passphrase';
  readonly kdf: Kdf;
  /** Distinguishes a wrong passphrase from a damaged wrap, and commits the wrap to one passphrase. */
  readonly check: Buffer;
  readonly nonce: Buffer;
  /** The data key sealed with AES-256-GCM: 32 bytes and the tag. */
  readonly sealed: Buffer;
}

/** A data key wrapped by KMS, with organization, project and backup as encryption context. */
export interface KmsWrap {
  readonly kind: 'kms';
  readonly keyId: string;
  readonly blob: Buffer;
}

export type KeyWrap = KmsWrap | PassphraseWrap;

export const wrapNonceBytes = 12;
export const wrapSealedBytes = 32 + tagBytes;

export const wrapKey = async (
  dataKey: Uint8Array,
  passphrase: string,
  options: {
    readonly identity: Identity;
    readonly random: (bytes: number) => Uint8Array;
    readonly iterations?: number;
  },
): Promise<PassphraseWrap> => {
  if (dataKey.length !== 32) throw new RangeError('a data key has 32 bytes');
  const { identity, random, iterations = defaultIterations } = options;
  const kdf: Kdf = { name: 'pbkdf2-hmac-sha256', iterations, salt: Buffer.from(random(minKdfSaltBytes)) };
  const { wrapping, check } = await passphraseKeys(passphrase, kdf);
  const nonce = Buffer.from(random(wrapNonceBytes));
  const { pieces, tag } = gcmSeal(wrapping, nonce, bindingOf(identity, kdf), [dataKey]);
  const sealed = Buffer.concat([...pieces, tag]);
  return { kind: 'passphrase', kdf, check, nonce, sealed };
};

/** Throws `wrong-passphrase`, or `tag-mismatch` if the wrap was damaged or belongs to another backup. */
export const unwrapKey = async (wrap: PassphraseWrap, passphrase: string, identity: Identity): Promise<Buffer> => {
  const { kdf, check, nonce, sealed } = wrap;
  if (nonce.length !== wrapNonceBytes || sealed.length !== wrapSealedBytes || check.length !== 32)
    throw new ArchiveError('key-invalid', 'the wrapped key has the wrong length');
  const keys = await passphraseKeys(passphrase, kdf);
  if (!timingSafeEqual(keys.check, check)) throw new ArchiveError('wrong-passphrase', 'the passphrase does not open this backup');
  const opened = gcmOpen(keys.wrapping, nonce, bindingOf(identity, kdf), [sealed.subarray(0, 32)], sealed.subarray(32));
  if (!opened?.[0]) throw new ArchiveError('tag-mismatch', 'the wrapped key was modified or belongs to another backup');
  return opened[0];
};

const bindingOf = (identity: Identity, { name, iterations, salt }: Kdf): Buffer => {
  checkIdentity(identity);
  const numbers = Buffer.alloc(4);
  numbers.writeUInt32BE(iterations);
  const texts = ['FBK2 key', identity.organization, identity.project, identity.backup, name].map(prefixed);
  return Buffer.concat([...texts, numbers, prefixed(salt.toString('base64url'))]);
};

import { timingSafeEqual } from 'node:crypto';
import { gcmOpen, gcmSeal } from '../primitives/aes-gcm.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { prefixed } from '../primitives/bytes.ts';
import { tagBytes } from '../primitives/format-limits.ts';
import { checkIdentity, type Identity } from '../primitives/identity.ts';
import {
  defaultIterations,
  type Kdf,
  kmsIterations,
  kmsSecretKeys,
  minKdfSaltBytes,
  passphraseKeys,
  type WrappingKeys,
} from './wrapping-keys.ts';

/** A data key sealed by a key that is derived from a secret, bound to one backup. */
export interface SealedKey {
  readonly kdf: Kdf;
  /** Distinguishes a wrong secret from a damaged wrap, and commits the wrap to one secret. */
  readonly check: Buffer;
  readonly nonce: Buffer;
  /** The data key sealed with AES-256-GCM: 32 bytes and the tag. */
  readonly sealed: Buffer;
}

export interface PassphraseWrap extends SealedKey {
  readonly kind: 'passphrase';
}

/** A data key whose secret KMS keeps, with organization, project and backup as encryption context. */
export interface KmsWrap {
  readonly kind: 'kms';
  readonly keyId: string;
  /** The secret that opens `sealedKey`, wrapped by KMS. */
  readonly blob: Buffer;
  /** Absent in backups made before key files of version 3: their blob is the data key itself. */
  readonly sealedKey?: SealedKey;
}

export type KeyWrap = KmsWrap | PassphraseWrap;

export const wrapNonceBytes = 12;
export const wrapSealedBytes = 32 + tagBytes;

interface WrapOptions {
  readonly identity: Identity;
  readonly random: (bytes: number) => Uint8Array;
  readonly iterations?: number;
}

export const wrapKey = async (dataKey: Uint8Array, passphrase: string, options: WrapOptions): Promise<PassphraseWrap> => {
  const kdf = newKdf(options.iterations ?? defaultIterations, options.random);
  return { kind: 'passphrase', ...seal(dataKey, { wrappingKeys: await passphraseKeys(passphrase, kdf), kdf, options }) };
};

/** Wraps a data key with a secret of 32 random bytes that KMS generated; only KMS can unwrap its blob. */
export const wrapKeyByKms = async (
  dataKey: Uint8Array,
  secret: { readonly plain: Uint8Array; readonly blob: Buffer; readonly keyId: string },
  options: Omit<WrapOptions, 'iterations'>,
): Promise<KmsWrap> => {
  const kdf = newKdf(kmsIterations, options.random);
  const sealedKey = seal(dataKey, { wrappingKeys: await kmsSecretKeys(secret.plain, kdf), kdf, options });
  return { kind: 'kms', keyId: secret.keyId, blob: secret.blob, sealedKey };
};

const newKdf = (iterations: number, random: WrapOptions['random']): Kdf => ({
  name: 'pbkdf2-hmac-sha256',
  iterations,
  salt: Buffer.from(random(minKdfSaltBytes)),
});

const seal = (
  dataKey: Uint8Array,
  {
    wrappingKeys: { wrapping, check },
    kdf,
    options: { identity, random },
  }: { readonly wrappingKeys: WrappingKeys; readonly kdf: Kdf; readonly options: WrapOptions },
): SealedKey => {
  if (dataKey.length !== 32) throw new RangeError('a data key has 32 bytes');
  const nonce = Buffer.from(random(wrapNonceBytes));
  const { pieces, tag } = gcmSeal(wrapping, { nonce, binding: bindingOf(identity, kdf), pieces: [dataKey] });
  return { kdf, check, nonce, sealed: Buffer.concat([...pieces, tag]) };
};

/** Throws `wrong-passphrase`, or `tag-mismatch` if the wrap was damaged or belongs to another backup. */
export const unwrapKey = async (wrap: PassphraseWrap, passphrase: string, identity: Identity): Promise<Buffer> => {
  const dataKey = open(wrap, await passphraseKeys(passphrase, wrap.kdf), identity);
  if (!dataKey) throw new ArchiveError('wrong-passphrase', 'the passphrase does not open this backup');
  return dataKey;
};

/** `secret` is what KMS decrypted from the wrap's blob. */
export const unwrapKeyByKms = async ({ sealedKey }: KmsWrap, secret: Buffer, identity: Identity): Promise<Buffer> => {
  if (!sealedKey) return secret;
  const dataKey = open(sealedKey, await kmsSecretKeys(secret, sealedKey.kdf), identity);
  if (!dataKey) throw new ArchiveError('tag-mismatch', 'the wrapped key was modified: its secret does not open it');
  return dataKey;
};

/** Undefined if the secret is a wrong one. */
const open = ({ kdf, check, nonce, sealed }: SealedKey, keys: WrappingKeys, identity: Identity): Buffer | undefined => {
  if (nonce.length !== wrapNonceBytes || sealed.length !== wrapSealedBytes || check.length !== 32)
    throw new ArchiveError('key-invalid', 'the wrapped key has the wrong length');
  if (!timingSafeEqual(keys.check, check)) return undefined;
  const opened = gcmOpen(keys.wrapping, {
    nonce,
    binding: bindingOf(identity, kdf),
    pieces: [sealed.subarray(0, 32)],
    tag: sealed.subarray(32),
  });
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

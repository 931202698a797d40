import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer, decodeBase64, encodeBase64 } from '../primitives/bytes.ts';
import { maxKeyFileBytes } from '../primitives/format-limits.ts';
import { checkIdentity, type Identity, isArchiveId } from '../primitives/identity.ts';
import type { KeyWrap, SealedKey } from './key-wrap.ts';
import { wrapNonceBytes, wrapSealedBytes } from './key-wrap.ts';
import { maxKdfSaltBytes, minKdfSaltBytes } from './wrapping-keys.ts';

/**
 * The wrapped data key of a backup, stored as clear-text JSON in the object `key`. It is separate from the manifest, so that a
 * key can be rewrapped without changing sealed objects, and the bucket alone suffices to read a backup.
 */
export interface KeyFile {
  readonly identity: Identity;
  /** Each wraps the same data key. */
  readonly wraps: readonly KeyWrap[];
}

const maxWraps = 16;

export const encodeKeyFile = ({ identity, wraps }: KeyFile): Buffer => {
  checkIdentity(identity);
  if (wraps.length === 0 || wraps.length > maxWraps)
    throw new RangeError(`a key file has 1 to ${maxWraps} wrapped keys, not ${wraps.length}`);
  const { organization, project, backup } = identity;
  // Readers of version 2 would take the KMS secret for the data key.
  const version = wraps.some((wrap) => wrap.kind === 'kms' && wrap.sealedKey) ? 3 : 2;
  const json = { format: 'FBK2 key', version, organization, project, backup, wraps: wraps.map(encodeWrap) };
  return Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`, 'utf8');
};

const encodeWrap = (wrap: KeyWrap): object =>
  wrap.kind === 'kms'
    ? { kind: 'kms', keyId: wrap.keyId, blob: encodeBase64(wrap.blob), ...(wrap.sealedKey && encodeSealed(wrap.sealedKey)) }
    : { kind: 'passphrase', ...encodeSealed(wrap) };

const encodeSealed = ({ kdf, check, nonce, sealed }: SealedKey): object => ({
  kdf: kdf.name,
  iterations: kdf.iterations,
  salt: encodeBase64(kdf.salt),
  check: encodeBase64(check),
  nonce: encodeBase64(nonce),
  sealed: encodeBase64(sealed),
});

/** The content is untrusted until its data key opens the manifest. Key derivation parameters are checked where they are used. */
export const parseKeyFile = (stored: Uint8Array): KeyFile => {
  if (stored.length > maxKeyFileBytes) throw new ArchiveError('too-large', `the key file has ${stored.length} bytes`);
  const { format, version, organization, project, backup, wraps } = parse(asBuffer(stored));
  if (format !== 'FBK2 key') throw new ArchiveError('bad-magic', 'not a key file');
  if (version !== 2 && version !== 3)
    throw new ArchiveError('unsupported-version', 'the version of the key file is neither 2 nor 3');
  if (!isArchiveId(organization) || !isArchiveId(project) || !isArchiveId(backup))
    throw invalid('the key file has an invalid id');
  if (!Array.isArray(wraps) || wraps.length === 0 || wraps.length > maxWraps)
    throw invalid('the key file has no valid list of wrapped keys');
  return { identity: { organization, project, backup }, wraps: wraps.map((wrap) => parseWrap(wrap, version)) };
};

const parse = (bytes: Buffer): Record<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new ArchiveError('bad-magic', 'the key file is not JSON', { cause });
  }
  return isRecord(value) ? value : {};
};

const parseWrap = (value: unknown, version: 2 | 3): KeyWrap => {
  if (!isRecord(value)) throw invalid('a wrapped key is not an object');
  if (value.kind === 'kms') {
    const { keyId, blob } = value;
    const bytes = decodeBetween(blob, 1, 8192);
    if (typeof keyId !== 'string' || keyId.length > 2048 || !bytes) throw invalid('a KMS-wrapped key is incomplete');
    const wrap = { kind: 'kms', keyId, blob: bytes } as const;
    return version === 2 || value.kdf === undefined ? wrap : { ...wrap, sealedKey: parseSealed(value) };
  }
  if (value.kind !== 'passphrase') throw new ArchiveError('unknown-feature', 'the kind of a wrapped key is unknown');
  return { kind: 'passphrase', ...parseSealed(value) };
};

const parseSealed = (value: Record<string, unknown>): SealedKey => {
  const { kdf: name, iterations } = value;
  if (name !== 'pbkdf2-hmac-sha256') throw new ArchiveError('kdf-refused', 'the key derivation is unknown');
  const salt = decodeBetween(value.salt, minKdfSaltBytes, maxKdfSaltBytes);
  const check = decodeBase64(value.check, 32);
  const nonce = decodeBase64(value.nonce, wrapNonceBytes);
  const sealed = decodeBase64(value.sealed, wrapSealedBytes);
  if (typeof iterations !== 'number' || !salt || !check || !nonce || !sealed) throw invalid('a wrapped key is incomplete');
  return { kdf: { name, iterations, salt }, check, nonce, sealed };
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const decodeBetween = (text: unknown, least: number, greatest: number): Buffer | undefined => {
  if (typeof text !== 'string' || text.length > 2 * greatest) return undefined;
  const length = Buffer.byteLength(text, 'base64url');
  return length >= least && length <= greatest ? decodeBase64(text, length) : undefined;
};

const invalid = (message: string): ArchiveError => new ArchiveError('key-invalid', message);

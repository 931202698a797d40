import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer, decodeBase64, encodeBase64 } from '../primitives/bytes.ts';
import { maxKeyFileBytes } from '../primitives/format-limits.ts';
import { checkIdentity, type Identity, isId } from '../primitives/identity.ts';
import type { KeyWrap } from './key-wrap.ts';
import { wrapNonceBytes, wrapSealedBytes } from './key-wrap.ts';
import { maxKdfSaltBytes, minKdfSaltBytes } from './passphrase.ts';

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
  const json = { format: 'FBK2 key', version: 2, organization, project, backup, wraps: wraps.map(encodeWrap) };
  return Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`, 'utf8');
};

const encodeWrap = (wrap: KeyWrap): object =>
  wrap.kind === 'kms'
    ? { kind: 'kms', keyId: wrap.keyId, blob: encodeBase64(wrap.blob) }
    : {
        kind: 'passphrase',
        kdf: wrap.kdf.name,
        iterations: wrap.kdf.iterations,
        salt: encodeBase64(wrap.kdf.salt),
        check: encodeBase64(wrap.check),
        nonce: encodeBase64(wrap.nonce),
        sealed: encodeBase64(wrap.sealed),
      };

/** The content is untrusted until its data key opens the manifest. Key derivation parameters are checked where they are used. */
export const parseKeyFile = (stored: Uint8Array): KeyFile => {
  if (stored.length > maxKeyFileBytes) throw new ArchiveError('too-large', `the key file has ${stored.length} bytes`);
  const { format, version, organization, project, backup, wraps } = parse(asBuffer(stored));
  if (format !== 'FBK2 key') throw new ArchiveError('bad-magic', 'not a key file');
  if (version !== 2) throw new ArchiveError('unsupported-version', 'the version of the key file is not 2');
  if (!isId(organization) || !isId(project) || !isId(backup)) throw invalid('the key file has an invalid id');
  if (!Array.isArray(wraps) || wraps.length === 0 || wraps.length > maxWraps)
    throw invalid('the key file has no valid list of wrapped keys');
  return { identity: { organization, project, backup }, wraps: wraps.map(parseWrap) };
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

const parseWrap = (value: unknown): KeyWrap => {
  if (!isRecord(value)) throw invalid('a wrapped key is not an object');
  if (value.kind === 'kms') {
    const { keyId, blob } = value;
    const bytes = decodeBetween(blob, 1, 8192);
    if (typeof keyId !== 'string' || keyId.length > 2048 || !bytes) throw invalid('a KMS-wrapped key is incomplete');
    return { kind: 'kms', keyId, blob: bytes };
  }
  if (value.kind !== 'passphrase') throw new ArchiveError('unknown-feature', 'the kind of a wrapped key is unknown');
  if (value.kdf !== 'pbkdf2-hmac-sha256') throw new ArchiveError('kdf-refused', 'the key derivation is unknown');
  const salt = decodeBetween(value.salt, minKdfSaltBytes, maxKdfSaltBytes);
  const check = decodeBase64(value.check, 32);
  const nonce = decodeBase64(value.nonce, wrapNonceBytes);
  const sealed = decodeBase64(value.sealed, wrapSealedBytes);
  if (typeof value.iterations !== 'number' || !salt || !check || !nonce || !sealed)
    throw invalid('a passphrase-wrapped key is incomplete');
  return { kind: 'passphrase', kdf: { name: value.kdf, iterations: value.iterations, salt }, check, nonce, sealed };
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const decodeBetween = (text: unknown, least: number, greatest: number): Buffer | undefined => {
  if (typeof text !== 'string' || text.length > 2 * greatest) return undefined;
  const length = Buffer.byteLength(text, 'base64url');
  return length >= least && length <= greatest ? decodeBase64(text, length) : undefined;
};

const invalid = (message: string): ArchiveError => new ArchiveError('key-invalid', message);

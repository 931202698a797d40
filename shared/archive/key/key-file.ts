import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer, decodeBase64, encodeBase64 } from '../primitives/bytes.ts';
import { maxKeyFileBytes } from '../primitives/format-limits.ts';
import { checkIdentity, type Identity, isId } from '../primitives/identity.ts';
import type { KeyWrap } from './key-wrap.ts';
import { wrapNonceBytes, wrapSealedBytes } from './key-wrap.ts';
import { maxKdfSaltBytes, minKdfSaltBytes } from './passphrase.ts';

/**
 * The wrapped data key of a backup, as the object named `key`: JSON in the clear. It is no part of the manifest, so a key
 * can be wrapped anew without touching anything that was sealed, and the bucket alone is enough to read a backup.
 */
export interface KeyFile {
  readonly identity: Identity;
  /** One or several ways to the same data key. */
  readonly wraps: readonly KeyWrap[];
}

const maxWraps = 16;

export const encodeKeyFile = ({ identity, wraps }: KeyFile): Buffer => {
  checkIdentity(identity);
  if (wraps.length === 0 || wraps.length > maxWraps) throw new RangeError(`${wraps.length} wrapped keys`);
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

/** What it says is a claim until the data key it leads to opens the manifest; derivation parameters are bounded where they are used. */
export const parseKeyFile = (stored: Uint8Array): KeyFile => {
  if (stored.length > maxKeyFileBytes) throw new ArchiveError('too-large', `a key file of ${stored.length} bytes`);
  const { format, version, organization, project, backup, wraps } = parse(asBuffer(stored));
  if (format !== 'FBK2 key') throw new ArchiveError('bad-magic', 'not a key file');
  if (version !== 2) throw new ArchiveError('unsupported-version', 'the key file has another version than 2');
  if (!isId(organization) || !isId(project) || !isId(backup)) throw invalid('a key file of nobody');
  if (!Array.isArray(wraps) || wraps.length === 0 || wraps.length > maxWraps) throw invalid('no wrapped key');
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
  if (!isRecord(value)) throw invalid('something else where a wrapped key should be');
  if (value.kind === 'kms') {
    const { keyId, blob } = value;
    const bytes = decodeBetween(blob, 1, 8192);
    if (typeof keyId !== 'string' || keyId.length > 2048 || !bytes) throw invalid('a KMS key without its parts');
    return { kind: 'kms', keyId, blob: bytes };
  }
  if (value.kind !== 'passphrase') throw new ArchiveError('unknown-feature', 'the key is wrapped in an unknown way');
  if (value.kdf !== 'pbkdf2-hmac-sha256') throw new ArchiveError('kdf-refused', 'an unknown key derivation');
  const salt = decodeBetween(value.salt, minKdfSaltBytes, maxKdfSaltBytes);
  const check = decodeBase64(value.check, 32);
  const nonce = decodeBase64(value.nonce, wrapNonceBytes);
  const sealed = decodeBase64(value.sealed, wrapSealedBytes);
  if (typeof value.iterations !== 'number' || !salt || !check || !nonce || !sealed)
    throw invalid('a wrapped key without its parts');
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

import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer, decodeBase64, encodeBase64 } from '../primitives/bytes.ts';
import { maxHeaderBytes } from '../primitives/format-limits.ts';
import { checkIdentity, type Identity, isArchiveId, objectKind } from '../primitives/identity.ts';

export interface Header {
  readonly identity: Identity;
  readonly name: string;
  /** 32 bytes, new for every started object. */
  readonly salt: Buffer;
  /** 7 bytes, new for every started object. */
  readonly noncePrefix: Buffer;
}

export const magic = Buffer.from('FBK2', 'latin1');
export const formatVersion = 2;
export const saltBytes = 32;
export const noncePrefixBytes = 7;
/** Magic, version and length of the header JSON. */
export const preambleBytes = magic.length + 1 + 4;

/** Encodes the header. There is one canonical spelling, so every modification is detected. */
export const encodeHeader = (header: Header): Buffer => {
  checkIdentity(header.identity);
  if (!objectKind(header.name)) throw new ArchiveError('header-invalid', 'not an object name');
  const json = Buffer.from(canonical(header), 'utf8');
  const preamble = Buffer.alloc(preambleBytes);
  magic.copy(preamble);
  preamble.writeUInt8(formatVersion, magic.length);
  preamble.writeUInt32BE(json.length, magic.length + 1);
  return Buffer.concat([preamble, json]);
};

const canonical = ({ identity, name, salt, noncePrefix }: Header): string =>
  JSON.stringify({
    organization: identity.organization,
    project: identity.project,
    backup: identity.backup,
    object: name,
    compression: 'zstd',
    cipher: 'AES-256-GCM',
    kdf: 'HKDF-SHA256',
    salt: encodeBase64(salt),
    noncePrefix: encodeBase64(noncePrefix),
  });

/** Reads the length of the header JSON from the first bytes of an object, which may be truncated. */
export const headerLength = (start: Uint8Array): number => {
  const bytes = asBuffer(start);
  const given = Math.min(bytes.length, magic.length);
  if (bytes.compare(magic, 0, given, 0, given) !== 0) throw new ArchiveError('bad-magic', 'not an archive object');
  const found = bytes.length > magic.length ? bytes.readUInt8(magic.length) : formatVersion;
  if (found !== formatVersion)
    throw new ArchiveError(
      'unsupported-version',
      `the object has format version ${found}; this reader supports ${formatVersion}`,
    );
  if (bytes.length < preambleBytes) throw new ArchiveError('truncated', 'the object ends within its header');
  const length = bytes.readUInt32BE(magic.length + 1);
  if (length > maxHeaderBytes) throw new ArchiveError('too-large', `the header declares ${length} bytes`);
  return length;
};

/** Parses the header JSON; rejects any but the canonical spelling. */
export const parseHeader = (json: Uint8Array): Header => {
  const bytes = asBuffer(json);
  const header = read(bytes);
  if (!header || !Buffer.from(canonical(header), 'utf8').equals(bytes))
    throw new ArchiveError('header-invalid', 'the header is not in canonical form');
  return header;
};

const read = (bytes: Buffer): Header | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { organization, project, backup, object, salt, noncePrefix } = value as Record<string, unknown>;
  const [saltOf, prefixOf] = [decodeBase64(salt, saltBytes), decodeBase64(noncePrefix, noncePrefixBytes)];
  if (!isArchiveId(organization) || !isArchiveId(project) || !isArchiveId(backup) || !saltOf || !prefixOf) return undefined;
  if (typeof object !== 'string' || !objectKind(object)) return undefined;
  return { identity: { organization, project, backup }, name: object, salt: saltOf, noncePrefix: prefixOf };
};

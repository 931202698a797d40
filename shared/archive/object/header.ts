import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer, decodeBase64, encodeBase64 } from '../primitives/bytes.ts';
import { maxHeaderBytes } from '../primitives/format-limits.ts';
import { checkIdentity, type Identity, isId, objectKind } from '../primitives/identity.ts';

/** What stands in the clear before an object's frames. */
export interface Header {
  readonly identity: Identity;
  readonly name: string;
  /** 32 bytes, new for every object that is begun. */
  readonly salt: Buffer;
  /** 7 bytes, new for every object that is begun. */
  readonly noncePrefix: Buffer;
}

export const magic = Buffer.from('FBK2', 'latin1');
export const version = 2;
export const saltBytes = 32;
export const noncePrefixBytes = 7;
/** Magic, version and the length of the JSON that follows. */
export const preambleBytes = magic.length + 1 + 4;

/** An object's first bytes. There is one way to write a header, so that no byte of it can change unnoticed. */
export const encodeHeader = (header: Header): Buffer => {
  checkIdentity(header.identity);
  if (!objectKind(header.name)) throw new ArchiveError('header-invalid', 'not the name of an object');
  const json = Buffer.from(canonical(header), 'utf8');
  const preamble = Buffer.alloc(preambleBytes);
  magic.copy(preamble);
  preamble.writeUInt8(version, magic.length);
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

/** The length of the header JSON, read from an object's first bytes, of which there may be fewer than there should. */
export const headerLength = (start: Uint8Array): number => {
  const bytes = asBuffer(start);
  const given = Math.min(bytes.length, magic.length);
  if (bytes.compare(magic, 0, given, 0, given) !== 0) throw new ArchiveError('bad-magic', 'not an object of an archive');
  const found = bytes.length > magic.length ? bytes.readUInt8(magic.length) : version;
  if (found !== version)
    throw new ArchiveError('unsupported-version', `the object has format version ${found}, known is ${version}`);
  if (bytes.length < preambleBytes) throw new ArchiveError('truncated', 'the object ends within its header');
  const length = bytes.readUInt32BE(magic.length + 1);
  if (length > maxHeaderBytes) throw new ArchiveError('too-large', `a header of ${length} bytes`);
  return length;
};

/** Reads the header JSON; anything but the one canonical spelling is refused. */
export const parseHeader = (json: Uint8Array): Header => {
  const bytes = asBuffer(json);
  const header = read(bytes);
  if (!header || !Buffer.from(canonical(header), 'utf8').equals(bytes))
    throw new ArchiveError('header-invalid', 'the header is not one that this format writes');
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
  if (!isId(organization) || !isId(project) || !isId(backup) || !saltOf || !prefixOf) return undefined;
  if (typeof object !== 'string' || !objectKind(object)) return undefined;
  return { identity: { organization, project, backup }, name: object, salt: saltOf, noncePrefix: prefixOf };
};

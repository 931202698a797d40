/** What proves to a store of the S3 kind, and by it to us, that the very bytes arrived. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** AWS checks and tells CRC-32, which costs a twentieth of MD5; others of the S3 kind know MD5 for certain. */
export type DigestKind = 'crc32' | 'md5';

export interface Digest {
  readonly kind: DigestKind;
  readonly bytes: Buffer;
}

/** What a store may tell of an object or a part. */
export interface ObjectInfo {
  readonly tag: string | undefined;
  readonly crc32: string | undefined;
  readonly encryption: string | undefined;
  readonly kmsKeyId?: string | undefined;
}

export const digestOf = (kind: DigestKind, body: Uint8Array): Digest => ({
  kind,
  bytes: kind === 'md5' ? createHash('md5').update(body).digest() : bigEndian(crc32(body)),
});

/** The fields of a command by which the store refuses bytes that changed on their way. */
export const digestFields = ({ kind, bytes }: Digest): { ContentMD5: string } | { ChecksumCRC32: string } => {
  const text = bytes.toString('base64');
  return kind === 'md5' ? { ContentMD5: text } : { ChecksumCRC32: text };
};

/** Whether what the store tells is that digest; undefined where it tells nothing to compare with. */
export const confirms = ({ kind, bytes }: Digest, told: ObjectInfo): boolean | undefined => {
  if (kind === 'crc32') return told.crc32 === undefined ? undefined : told.crc32 === bytes.toString('base64');
  const tag = plainTag(told);
  return tag === undefined || !/^[0-9a-f]{32}$/.test(tag) ? undefined : tag === bytes.toString('hex');
};

/** The same for an object of several parts, whose digest is one of their digests. */
export const confirmsAll = (kind: DigestKind, parts: readonly Digest[], told: ObjectInfo): boolean | undefined => {
  const { bytes } = digestOf(kind, Buffer.concat(parts.map((part) => part.bytes)));
  if (kind === 'crc32') {
    // A store that tells the checksum of the whole instead tells nothing that was made of the parts.
    const composite = told.crc32?.includes('-') ? told.crc32 : undefined;
    return composite === undefined ? undefined : composite === `${bytes.toString('base64')}-${parts.length}`;
  }
  const tag = plainTag(told);
  return tag === undefined || !/^[0-9a-f]{32}-\d+$/.test(tag) ? undefined : tag === `${bytes.toString('hex')}-${parts.length}`;
};

/** Under a key of the customer's the tag is no digest. */
const plainTag = ({ tag, encryption }: ObjectInfo): string | undefined =>
  encryption === undefined || encryption === 'AES256' ? tag?.replaceAll('"', '') : undefined;

const bigEndian = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

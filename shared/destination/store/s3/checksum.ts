/** Checksums that prove to an S3-compatible store, and through its response to us, that the bytes arrived unchanged. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** AWS supports CRC-32, which costs a twentieth of MD5. Every S3-compatible store supports MD5. */
export type DigestKind = 'crc32' | 'md5';

export interface Digest {
  readonly kind: DigestKind;
  readonly bytes: Buffer;
}

/** What a store may say about an object or a part. */
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

/** The fields of a command with which the store rejects bytes that changed in transit. */
export const digestFields = ({ kind, bytes }: Digest): { ContentMD5: string } | { ChecksumCRC32: string } => {
  const text = bytes.toString('base64');
  return kind === 'md5' ? { ContentMD5: text } : { ChecksumCRC32: text };
};

/** Whether the store reports this digest; undefined if it reports none. */
export const confirms = ({ kind, bytes }: Digest, info: ObjectInfo): boolean | undefined => {
  if (kind === 'crc32') return info.crc32 === undefined ? undefined : info.crc32 === bytes.toString('base64');
  const tag = plainTag(info);
  return tag === undefined || !/^[0-9a-f]{32}$/.test(tag) ? undefined : tag === bytes.toString('hex');
};

/** The same for a multipart object, whose digest is computed from the digests of its parts. */
export const confirmsAll = (kind: DigestKind, parts: readonly Digest[], info: ObjectInfo): boolean | undefined => {
  const { bytes } = digestOf(kind, Buffer.concat(parts.map((part) => part.bytes)));
  if (kind === 'crc32') {
    // Without `-` it is the checksum of the whole object, which cannot be compared.
    const composite = info.crc32?.includes('-') ? info.crc32 : undefined;
    return composite === undefined ? undefined : composite === `${bytes.toString('base64')}-${parts.length}`;
  }
  const tag = plainTag(info);
  return tag === undefined || !/^[0-9a-f]{32}-\d+$/.test(tag) ? undefined : tag === `${bytes.toString('hex')}-${parts.length}`;
};

/** With KMS encryption the ETag is not a digest. */
const plainTag = ({ tag, encryption }: ObjectInfo): string | undefined =>
  encryption === undefined || encryption === 'AES256' ? tag?.replaceAll('"', '') : undefined;

const bigEndian = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

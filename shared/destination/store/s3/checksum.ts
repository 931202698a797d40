/** Checksums that prove to an S3-compatible store, and through its response to us, that the bytes arrived unchanged. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { checksumMismatch, hasChecksum } from '../object-store.ts';
import { isRejectedDigest } from './s3-error.ts';

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

/** The checksum of an object that was sent in one request. */
export const checksumOf = ({ kind, bytes }: Digest): string => `${kind}:${bytes.toString(encodings[kind])}`;

/** The checksum of a multipart object: the digest of the digests of its parts, and their number. */
export const checksumOfParts = (kind: DigestKind, parts: readonly Digest[]): string => {
  const { bytes } = digestOf(kind, Buffer.concat(parts.map((part) => part.bytes)));
  return `${kind}-parts:${bytes.toString(encodings[kind])}-${parts.length}`;
};

const encodings = { crc32: 'base64', md5: 'hex' } as const satisfies Readonly<Record<DigestKind, BufferEncoding>>;

/** Every checksum that the store reports. A CRC-32 without the number of parts is that of the whole object. */
export const reportedChecksums = (info: ObjectInfo): readonly string[] => {
  const tag = plainTag(info);
  const crc32 = info.crc32 === undefined ? [] : [`crc32${info.crc32.includes('-') ? '-parts' : ''}:${info.crc32}`];
  const md5 = tag !== undefined && /^[0-9a-f]{32}(-\d+)?$/.test(tag) ? [`md5${tag.includes('-') ? '-parts' : ''}:${tag}`] : [];
  return [...crc32, ...md5];
};

/** Whether the store reports this digest; undefined if it reports none. */
export const confirms = (digest: Digest, info: ObjectInfo): boolean | undefined =>
  hasChecksum({ size: 0, checksums: reportedChecksums(info) }, checksumOf(digest));

/** The same, for the request that sent the bytes. Throws if the store confirms or received other bytes. */
export const sendConfirmed = async <T>(
  object: string,
  digest: Digest,
  { send, infoOf }: { readonly send: () => Promise<T>; readonly infoOf: (answer: T) => ObjectInfo },
): Promise<T> => {
  const expected = checksumOf(digest);
  const answer = await send().catch((error: unknown) => {
    throw isRejectedDigest(error) ? checksumMismatch({ object, expected, actual: undefined }) : error;
  });
  const info = infoOf(answer);
  if (confirms(digest, info) !== false) return answer;
  const actual = reportedChecksums(info).find((one) => one.startsWith(`${digest.kind}:`));
  throw checksumMismatch({ object, expected, actual });
};

/** The same for a multipart object. */
export const confirmsAll = (kind: DigestKind, parts: readonly Digest[], info: ObjectInfo): boolean | undefined =>
  hasChecksum({ size: 0, checksums: reportedChecksums(info) }, checksumOfParts(kind, parts));

/** With KMS encryption the ETag is not a digest. */
const plainTag = ({ tag, encryption }: ObjectInfo): string | undefined =>
  encryption === undefined || encryption === 'AES256' ? tag?.replaceAll('"', '') : undefined;

const bigEndian = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

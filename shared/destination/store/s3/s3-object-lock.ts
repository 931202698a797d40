/** Retention of S3 objects. A bucket with Object Lock is versioned: a lock holds one version, and a plain delete only hides it. */
import { createHash } from 'node:crypto';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { clock } from '../../../platform/clock.ts';
import { type ObjectState, StorageError, wholeSecond } from '../object-store.ts';
import { listS3Versions, versionsMax } from './list-s3-versions.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { isS3Error } from './s3-error.ts';
import { GetObjectRetentionCommand, HeadObjectCommand, PutObjectRetentionCommand } from './s3-library.ts';

/** Extends the lock of one version, and reads back what the store keeps. The store refuses to shorten it. */
export const extendS3Lock = async (
  bucket: S3Bucket,
  {
    name,
    state: { version, lockedUntil, isCompliance },
    until,
    signal,
  }: { readonly name: string; readonly state: ObjectState; readonly until: Date; readonly signal?: AbortSignal | undefined },
): Promise<Date | undefined> => {
  const { lockMode, bucket: Bucket, digest } = bucket.options;
  if (lockedUntil !== undefined && lockedUntil >= until) return lockedUntil;
  if (lockMode === undefined) throw new StorageError('invalid', 'The storage destination has no object lock.');
  const object = { Bucket, Key: bucket.key(name), VersionId: version };
  await bucket.call({
    doing: 'extend the lock of an object',
    signal,
    send: (client, options) => {
      const Retention = { Mode: isCompliance ? 'COMPLIANCE' : lockMode, RetainUntilDate: wholeSecond(until) } as const;
      const command = new PutObjectRetentionCommand({ ...object, Retention });
      if (digest === 'md5') addContentMd5(command);
      return client.send(command, options);
    },
  });
  return bucket.call({
    doing: 'return the lock of an object',
    signal,
    send: async (client, options) => {
      try {
        return (await client.send(new GetObjectRetentionCommand(object), options)).Retention?.RetainUntilDate;
      } catch (error) {
        // Extended, but s3:GetObjectRetention is missing to read the result.
        if (isS3Error(error, 'AccessDenied', 'NoSuchObjectLockConfiguration')) return undefined;
        throw error;
      }
    },
  });
};

/** The request needs a digest. The SDK sends a CRC, which not every S3-compatible store supports. */
const addContentMd5 = ({ middlewareStack }: PutObjectRetentionCommand): void =>
  middlewareStack.add(
    (next) => (args) => {
      const { headers, body } = args.request as { readonly headers: Record<string, string>; readonly body: string };
      headers['content-md5'] = createHash('md5').update(body).digest('base64');
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );

/** Versions of one object that are asked for their lock: so many of the newest, then of the oldest. */
const askedMax = 10;

/**
 * The version of an object that is locked now and hidden by the newest one, which is a delete marker or has no lock. Undefined if
 * there is none, or the store does not list versions to us. Adding many versions does not hide the locked one.
 */
export const findLockedVersion = async (
  bucket: S3Bucket,
  {
    name,
    newest,
    signal,
  }: { readonly name: string; readonly newest: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<HeadObjectCommandOutput | undefined> => {
  const Key = bucket.key(name);
  const Bucket = bucket.options.bucket;
  const hidden: string[] = [];
  let listed = 0;
  for await (const { name: found, version } of listS3Versions(bucket, name, signal)) {
    // Longer names with the same prefix follow.
    if (found !== name || ++listed > versionsMax) break;
    if (version === undefined || version === newest) continue;
    hidden.push(version);
    // Those between the newest and the oldest are not asked.
    if (hidden.length > 2 * askedMax) hidden.splice(askedMax, 1);
  }
  for (const VersionId of [...hidden.slice(0, askedMax), ...hidden.slice(askedMax).reverse()]) {
    const found = await bucket
      .call({
        doing: 'read the metadata of a version',
        signal,
        send: (client, options) =>
          client.send(new HeadObjectCommand({ Bucket, Key, VersionId, ChecksumMode: 'ENABLED' }), options),
      })
      .catch(asForeign);
    if (found && isLockedNow(found.ObjectLockRetainUntilDate)) return { ...found, VersionId };
  }
  return undefined;
};

/** A version that we may not read, such as one with a foreign key, is not the one that we stored. */
const asForeign = (error: unknown): undefined => {
  if (!(error instanceof StorageError) || error.code !== 'denied') throw error;
};

export const isLockedNow = (until: Date | undefined): boolean => until !== undefined && until > clock.now();

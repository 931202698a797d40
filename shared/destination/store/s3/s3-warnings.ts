/** Warnings about bucket settings that do not prevent backups. */
import { type ObjectStore, StorageError } from '../object-store.ts';
import { hasAbortRule } from './abort-uploads.ts';
import type { S3Bucket } from './s3-bucket.ts';

/** Settings that we have no permission to read produce no warning. */
export const s3Warnings = async (
  store: Pick<ObjectStore, 'abortUnfinishedUploads'> & { readonly bucket: S3Bucket },
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const [listing, lifecycle] = await Promise.all([unlistedUploads(store, signal), unexpiredUploads(store.bucket, signal)]);
  return [...listing, ...lifecycle];
};

const unlistedUploads = async (
  store: Pick<ObjectStore, 'abortUnfinishedUploads'>,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  try {
    await store.abortUnfinishedUploads('probe/', signal);
    return [];
  } catch (error) {
    if (error instanceof StorageError && error.code === 'denied')
      return ['Permission s3:ListBucketMultipartUploads is missing: unfinished uploads of failed backups cannot be cleaned up.'];
    return [];
  }
};

const unexpiredUploads = async (bucket: S3Bucket, signal: AbortSignal): Promise<readonly string[]> =>
  (await hasAbortRule(bucket, signal)) === false
    ? [
        'The bucket has no lifecycle rule that aborts incomplete multipart uploads: parts of a failed upload are billed until they are deleted.',
      ]
    : [];

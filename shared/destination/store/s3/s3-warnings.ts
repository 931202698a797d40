/** Settings of a bucket that do not keep a destination from working, and that the customer should know of. */

import { type ObjectStore, StorageError } from '../object-store.ts';
import { hasAbortRule } from './abort-uploads.ts';
import type { S3Bucket } from './s3-bucket.ts';

/** As far as the store lets us see: what it does not show is no reason to refuse it. */
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
      return ['We may not list unfinished uploads (s3:ListBucketMultipartUploads), so what a broken backup leaves may stay.'];
    return [];
  }
};

const unexpiredUploads = async (bucket: S3Bucket, signal: AbortSignal): Promise<readonly string[]> =>
  (await hasAbortRule(bucket, signal)) === false
    ? [
        'The bucket has no lifecycle rule that ends incomplete multipart uploads: parts of a broken upload would be billed for ever.',
      ]
    : [];

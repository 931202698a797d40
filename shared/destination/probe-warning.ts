/** What does not keep a destination from working, and yet the customer should know. */
import { S3Store } from './s3-store.ts';
import { isRuledOut } from './s3-unfinished.ts';
import { StorageError, type Store } from './store.ts';

/** As far as the store lets us see: what it does not show is no reason to refuse it. */
export const warningsOf = async (store: Store, signal: AbortSignal): Promise<readonly string[]> => {
  if (!(store instanceof S3Store) || signal.aborted) return [];
  const [listing, lifecycle] = await Promise.all([unfinishedUploads(store, signal), expiringUploads(store, signal)]);
  return [...listing, ...lifecycle];
};

const unfinishedUploads = async (store: S3Store, signal: AbortSignal): Promise<readonly string[]> => {
  try {
    await store.abandon('probe/', signal);
    return [];
  } catch (error) {
    if (error instanceof StorageError && error.code === 'denied')
      return ['We may not list unfinished uploads (s3:ListBucketMultipartUploads), so what a broken backup leaves may stay.'];
    return [];
  }
};

const expiringUploads = async (store: S3Store, signal: AbortSignal): Promise<readonly string[]> =>
  (await isRuledOut(store.bucket, signal)) === false
    ? [
        'The bucket has no lifecycle rule that ends incomplete multipart uploads: parts of a broken upload would be billed for ever.',
      ]
    : [];

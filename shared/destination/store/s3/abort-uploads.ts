/** Unfinished multipart uploads: they are invisible in listings and are billed. */
import { StorageError } from '../object-store.ts';
import { PageGuard } from '../page-guard.ts';
import { removeEach } from '../remove-each.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { isS3Error } from './s3-error.ts';
import {
  AbortMultipartUploadCommand,
  GetBucketLifecycleConfigurationCommand,
  ListMultipartUploadsCommand,
} from './s3-library.ts';

interface Unfinished {
  readonly key: string;
  readonly uploadId: string;
}

/** `gone`: the upload was already finished or aborted. */
export const abortUpload = (
  bucket: S3Bucket,
  { key, uploadId }: Unfinished,
  signal?: AbortSignal,
): Promise<'aborted' | 'gone'> => {
  const input = { Bucket: bucket.options.bucket, Key: key, UploadId: uploadId };
  return bucket.call<'aborted' | 'gone'>({
    doing: 'abort an upload',
    signal,
    send: async (client, options) => {
      try {
        await client.send(new AbortMultipartUploadCommand(input), options);
        return 'aborted';
      } catch (error) {
        if (isS3Error(error, 'NoSuchUpload')) return 'gone';
        throw error;
      }
    },
  });
};

/** Aborts the unfinished uploads below the prefix that the filter selects, and returns their number. */
export const abortUploads = async (
  bucket: S3Bucket,
  prefix: string,
  {
    isSelected = () => true,
    signal,
  }: { readonly isSelected?: (key: string) => boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> => {
  const pageGuard = new PageGuard();
  let aborted = 0;
  let after: { readonly key: string | undefined; readonly id: string | undefined } | undefined;
  do {
    const input = {
      Bucket: bucket.options.bucket,
      Prefix: bucket.key(prefix) || undefined,
      KeyMarker: after?.key,
      UploadIdMarker: after?.id,
    };
    const page = await bucket.call({
      doing: 'list unfinished uploads',
      signal,
      send: async (client, options) => {
        const response = await client.send(new ListMultipartUploadsCommand(input), options);
        // Any other document would look like an empty list.
        if (response.IsTruncated === undefined && response.Bucket === undefined && !response.Uploads)
          throw new StorageError('unavailable', 'The store did not return a list of uploads.');
        return response;
      },
    });
    const found = page.Uploads ?? [];
    const uploads = found.flatMap(({ Key, UploadId }) =>
      Key !== undefined && UploadId !== undefined && isSelected(Key) ? [{ key: Key, uploadId: UploadId }] : [],
    );
    await removeEach(uploads, (upload) => abortUpload(bucket, upload, signal));
    aborted += uploads.length;
    after = page.IsTruncated ? { key: page.NextKeyMarker, id: page.NextUploadIdMarker } : undefined;
    if (after) pageGuard.next(after.key && `${after.key}\n${after.id ?? ''}`, found.length);
  } while (after);
  return aborted;
};

/** Whether a lifecycle rule of the bucket aborts unfinished uploads; undefined if the store does not say. Not retried. */
export const hasAbortRule = async (bucket: S3Bucket, signal: AbortSignal): Promise<boolean | undefined> => {
  const input = { Bucket: bucket.options.bucket };
  try {
    return await bucket.once({
      doing: 'return its lifecycle rules',
      signal,
      send: async (client, options) => {
        try {
          const { Rules } = await client.send(new GetBucketLifecycleConfigurationCommand(input), options);
          return Rules?.some(
            ({ Status, AbortIncompleteMultipartUpload }) => Status === 'Enabled' && AbortIncompleteMultipartUpload,
          );
        } catch (error) {
          if (isS3Error(error, 'NoSuchLifecycleConfiguration')) return false;
          throw error;
        }
      },
    });
  } catch {
    return undefined;
  }
};

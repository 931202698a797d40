/** Multipart uploads that were begun and not finished: they are invisible, and billed. */
import {
  AbortMultipartUploadCommand,
  GetBucketLifecycleConfigurationCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import { mapConcurrent } from '../../../platform/async/map-concurrent.ts';
import { StorageError } from '../object-store.ts';
import { PageGuard } from '../page-guard.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { isS3Error } from './s3-error.ts';

const maxConcurrentCalls = 8;

interface Unfinished {
  readonly key: string;
  readonly uploadId: string;
}

/** That it has ended already is no error. */
export const abortUpload = (bucket: S3Bucket, { key, uploadId }: Unfinished, signal?: AbortSignal): Promise<'ended' | 'gone'> => {
  const input = { Bucket: bucket.options.bucket, Key: key, UploadId: uploadId };
  return bucket.call<'ended' | 'gone'>({
    doing: 'end an upload',
    signal,
    send: async (client, options) => {
      try {
        await client.send(new AbortMultipartUploadCommand(input), options);
        return 'ended';
      } catch (error) {
        if (isS3Error(error, 'NoSuchUpload')) return 'gone';
        throw error;
      }
    },
  });
};

/** Aborts those whose names begin with the prefix and that the filter selects; answers how many. */
export const abortUploads = async (
  bucket: S3Bucket,
  prefix: string,
  {
    isWanted = () => true,
    signal,
  }: { readonly isWanted?: (key: string) => boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> => {
  const paging = new PageGuard();
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
        const answer = await client.send(new ListMultipartUploadsCommand(input), options);
        // Any other document would pass for a list of nothing.
        if (answer.IsTruncated === undefined && answer.Bucket === undefined && !answer.Uploads)
          throw new StorageError('unavailable', 'The store answered something else than a list.');
        return answer;
      },
    });
    const found = page.Uploads ?? [];
    const uploads = found.flatMap(({ Key, UploadId }) =>
      Key !== undefined && UploadId !== undefined && isWanted(Key) ? [{ key: Key, uploadId: UploadId }] : [],
    );
    await mapConcurrent(uploads, maxConcurrentCalls, (upload) => abortUpload(bucket, upload, signal));
    aborted += uploads.length;
    after = page.IsTruncated ? { key: page.NextKeyMarker, id: page.NextUploadIdMarker } : undefined;
    if (after) paging.next(after.key && `${after.key}\n${after.id ?? ''}`, found.length);
  } while (after);
  return aborted;
};

/** Whether a lifecycle rule of the bucket aborts them; undefined where the store does not tell. Tried once. */
export const hasAbortRule = async (bucket: S3Bucket, signal: AbortSignal): Promise<boolean | undefined> => {
  const input = { Bucket: bucket.options.bucket };
  try {
    return await bucket.once({
      doing: 'tell its lifecycle rules',
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

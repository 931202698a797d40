/** Uploads that were begun and not finished: they are invisible, and billed. */
import {
  AbortMultipartUploadCommand,
  GetBucketLifecycleConfigurationCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import { concurrently } from './concurrent.ts';
import { Paging } from './paging.ts';
import type { S3Bucket } from './s3-bucket.ts';

const callsAtOnce = 8;

/** Ends an upload; that it has ended already is no error. */
export const endUpload = (
  bucket: S3Bucket,
  Key: string | undefined,
  UploadId: string | undefined,
  signal?: AbortSignal,
): Promise<'ended' | 'gone'> =>
  bucket.call('end an upload', signal, async (abortSignal) => {
    try {
      await bucket.place.client.send(new AbortMultipartUploadCommand({ Bucket: bucket.place.bucket, Key, UploadId }), {
        abortSignal,
      });
      return 'ended';
    } catch (error) {
      if ((error as Error).name === 'NoSuchUpload') return 'gone';
      throw error;
    }
  });

/** Ends those whose names begin with the prefix and that are wanted gone; answers how many. */
export const endUploads = async (
  bucket: S3Bucket,
  prefix: string,
  {
    isWanted = () => true,
    signal,
  }: { readonly isWanted?: (key: string | undefined) => boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> => {
  const paging = new Paging();
  let ended = 0;
  let page: ListMultipartUploadsCommandOutput | undefined;
  do {
    const command = new ListMultipartUploadsCommand({
      ...{ Bucket: bucket.place.bucket, Prefix: bucket.key(prefix) },
      ...{ KeyMarker: page?.NextKeyMarker, UploadIdMarker: page?.NextUploadIdMarker },
    });
    page = await bucket.call('list unfinished uploads', signal, (abortSignal) =>
      bucket.place.client.send(command, { abortSignal }),
    );
    const uploads = (page.Uploads ?? []).filter(({ Key }) => isWanted(Key));
    await concurrently(uploads, callsAtOnce, ({ Key, UploadId }) => endUpload(bucket, Key, UploadId, signal));
    ended += uploads.length;
    const { IsTruncated, NextKeyMarker: key, NextUploadIdMarker: id = '' } = page;
    if (IsTruncated) paging.next(key && `${key}\n${id}`, page.Uploads?.length ?? 0);
  } while (page.IsTruncated);
  return ended;
};

/** Whether a rule of the bucket ends them; undefined where the store does not tell. */
export const isRuledOut = async (
  { place: { client, bucket, patience } }: S3Bucket,
  signal: AbortSignal,
): Promise<boolean | undefined> => {
  try {
    const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket });
    const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(patience.requestMs)]);
    const { Rules = [] } = await client.send(command, { abortSignal });
    return Rules.some(({ Status, AbortIncompleteMultipartUpload: rule }) => Status === 'Enabled' && rule !== undefined);
  } catch (error) {
    return (error as Error).name === 'NoSuchLifecycleConfiguration' ? false : undefined;
  }
};

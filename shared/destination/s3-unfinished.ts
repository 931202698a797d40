/** Uploads that were begun and not finished: they are invisible, and billed. */
import { elementOf, elementsOf, isRefusal, textOf } from '../platform/index.ts';
import { concurrently } from './concurrent.ts';
import { Paging } from './paging.ts';
import { documentOf } from './s3-answer.ts';
import type { S3Bucket } from './s3-bucket.ts';

const callsAtOnce = 8;

/** Ends an upload; that it has ended already is no error. */
export const endUpload = (
  bucket: S3Bucket,
  key: string | undefined,
  uploadId: string | undefined,
  signal?: AbortSignal,
): Promise<'ended' | 'gone'> => {
  const asked = { method: 'DELETE', key, query: { uploadId }, signal } as const;
  return bucket.call<'ended' | 'gone'>(
    'end an upload',
    asked,
    () => 'ended',
    (error) => (isRefusal(error, 'NoSuchUpload') ? 'gone' : undefined),
  );
};

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
  let after: { readonly key: string | undefined; readonly id: string | undefined } | undefined;
  do {
    const marks = { 'key-marker': after?.key, 'upload-id-marker': after?.id };
    const query = { uploads: '', prefix: bucket.key(prefix) || undefined, ...marks };
    const page = await bucket.call('list unfinished uploads', { method: 'GET', query, signal }, documentOf);
    const found = elementsOf(page, 'Upload').map((upload) => ({ key: textOf(upload, 'Key'), id: textOf(upload, 'UploadId') }));
    const uploads = found.filter(({ key }) => isWanted(key));
    await concurrently(uploads, callsAtOnce, ({ key, id }) => endUpload(bucket, key, id, signal));
    ended += uploads.length;
    const isMore = textOf(page, 'IsTruncated') === 'true';
    after = isMore ? { key: textOf(page, 'NextKeyMarker'), id: textOf(page, 'NextUploadIdMarker') } : undefined;
    if (after) paging.next(after.key && `${after.key}\n${after.id ?? ''}`, found.length);
  } while (after);
  return ended;
};

/** Whether a rule of the bucket ends them; undefined where the store does not tell. */
export const isRuledOut = async (
  { place: { client, patience } }: S3Bucket,
  signal: AbortSignal,
): Promise<boolean | undefined> => {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patience.requestMs)]);
    const rules = documentOf(await client.send({ method: 'GET', query: { lifecycle: '' }, signal: limit }));
    return elementsOf(rules, 'Rule').some(
      (rule) => textOf(rule, 'Status') === 'Enabled' && elementOf(rule, 'AbortIncompleteMultipartUpload') !== undefined,
    );
  } catch (error) {
    return isRefusal(error, 'NoSuchLifecycleConfiguration') ? false : undefined;
  }
};

/** Buckets as their owner sees them. */
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { warm } from '../../../shared/platform/index.ts';
import { stageVariable } from './client.ts';

export const bucketClient = warm(
  () =>
    new S3Client({
      endpoint: stageVariable('STAGE_S3_URL'),
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'not-so-secret' },
    }),
);

/** Object names below the prefix with their ETags, sorted. */
export const objectsIn = async (bucket: string, prefix = ''): Promise<Readonly<Record<string, string>>> => {
  const found: Record<string, string> = {};
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...(token && { ContinuationToken: token }) });
    const { Contents = [], NextContinuationToken } = await bucketClient().send(command);
    for (const { Key = '', ETag = '' } of Contents) found[Key] = ETag;
    token = NextContinuationToken;
  } while (token);
  return found;
};

export const objectAt = async (bucket: string, name: string): Promise<Buffer> => {
  const { Body } = await bucketClient().send(new GetObjectCommand({ Bucket: bucket, Key: name }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};

/** Makes every call to the bucket answer 503, or 403, and returns the function that ends it. */
export const startOutage = async (bucket: string, kind: '' | 'denied' = ''): Promise<() => Promise<void>> => {
  const of = { Bucket: bucket, Key: 'local-outage' };
  await bucketClient().send(new PutObjectCommand({ ...of, Body: kind }));
  return async () => void (await bucketClient().send(new DeleteObjectCommand(of)));
};

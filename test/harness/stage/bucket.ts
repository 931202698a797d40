/** Buckets as their owner sees them. */
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
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

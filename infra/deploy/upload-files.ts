/** The files of a release in a bucket, from which CloudFormation and Lambda read them. */
import { HeadObjectCommand, type HeadObjectCommandInput, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';

export interface ReleaseFile {
  /** Below the prefix. Contains the whole digest of the content, so an object of that name is the same file. */
  readonly name: string;
  readonly read: () => Promise<Uint8Array>;
}

interface Upload {
  readonly client: S3Client;
  readonly bucket: string;
  /** The account that owns the bucket: one of the same name in another account is refused. */
  readonly owner: string;
  readonly prefix: string;
  readonly files: readonly ReleaseFile[];
  /** Called after each file. */
  readonly onFile?: (done: number, of: number) => void;
}

const atOnce = 8;

/** Uploads what the bucket does not have yet. Returns how many files that were. */
export const uploadFiles = async ({ client, bucket, owner, prefix, files, onFile }: Upload): Promise<number> => {
  const waiting = [...files];
  let uploaded = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const object = { Bucket: bucket, ExpectedBucketOwner: owner, Key: `${prefix}${file.name}` };
      if (!(await exists(client, object))) {
        await client.send(new PutObjectCommand({ ...object, Body: await file.read() }));
        uploaded += 1;
      }
      done += 1;
      onFile?.(done, files.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return uploaded;
};

const exists = (client: S3Client, object: HeadObjectCommandInput): Promise<boolean> =>
  client.send(new HeadObjectCommand(object)).then(
    () => true,
    (error: { readonly $metadata?: { readonly httpStatusCode?: number } }) => {
      if (error.$metadata?.httpStatusCode === 404) return false;
      throw error;
    },
  );

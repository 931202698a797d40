/** Opens a bucket by its address, with the caller's own credentials: how a backup is read where nothing else of ours is left. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { GoogleAccount } from '../../platform/index.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { workerRetryPolicy as patience } from '../store/retry-transient.ts';
import type { S3StoreOptions } from '../store/s3/s3-bucket.ts';

/** A folder of a bucket, and where the store is if not at its maker's. */
export interface Address {
  readonly bucket: string;
  /** Without slashes at its ends; empty for the bucket itself. */
  readonly folder: string;
  readonly endpoint?: string | undefined;
}

const partBytes = 8 << 20;
const agentOptions = { keepAlive: true, maxSockets: 16 };

/** Opens a bucket of AWS, or of any store that speaks S3. */
export const openS3Address = async ({
  bucket,
  folder,
  endpoint,
  region,
  credentials,
}: Address & Pick<S3StoreOptions, 'region' | 'credentials'>): Promise<ObjectStore> => {
  const { S3Store } = await import('../store/s3/s3-store.ts');
  return new S3Store({
    bucket,
    folder,
    endpoint,
    region,
    // The store names the right region if the caller named none, or a wrong one.
    isGuessed: endpoint === undefined,
    credentials,
    agent: agentFor(endpoint ?? 'https:'),
    connectMs: 5_000,
    digest: endpoint === undefined ? 'crc32' : 'md5',
    retryPolicy: patience,
    partBytes,
  });
};

export const openGcsAddress = async ({
  bucket,
  folder,
  endpoint = 'https://storage.googleapis.com',
  account,
}: Address & { readonly account: GoogleAccount }): Promise<ObjectStore> => {
  const { openGcsStore } = await import('../store/gcs/gcs-store.ts');
  return openGcsStore({ bucket, folder, baseUrl: endpoint, account, retryPolicy: patience, partBytes });
};

const agentFor = (url: string): HttpAgent =>
  url.startsWith('https:') ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);

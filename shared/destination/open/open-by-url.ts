/** Opens a bucket by its address with the caller's own credentials, to read a backup without the service. */
import { type GoogleAccount, googleAccessToken } from '../../platform/index.ts';
import { agentFor } from '../store/http-agent.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { workerRetryPolicy as retryPolicy } from '../store/retry-transient.ts';
import type { S3StoreOptions } from '../store/s3/s3-bucket.ts';
import { partBytes } from './open-store.ts';
import { withRenewal } from './with-renewal.ts';

/** A folder of a bucket. Without an endpoint the store is AWS or Google. */
export interface Address {
  readonly bucket: string;
  /** Without leading or trailing slash; empty for the whole bucket. */
  readonly folder: string;
  readonly endpoint?: string | undefined;
}

/** Opens a bucket of AWS or of an S3-compatible store. */
export const openS3Address = (address: Address & Pick<S3StoreOptions, 'region' | 'credentials'>): Promise<ObjectStore> =>
  withRenewal(async () => {
    const { S3Store } = await import('../store/s3/s3-store.ts');
    return new S3Store({
      ...address,
      // AWS names the right region if the caller named none or a wrong one.
      isGuessed: address.endpoint === undefined,
      agent: agentFor(address.endpoint ?? 'https:'),
      connectMs: 5_000,
      digest: address.endpoint === undefined ? 'crc32' : 'md5',
      retryPolicy,
      partBytes,
      readsVersions: true,
    });
  });

export const openGcsAddress = async ({
  bucket,
  folder,
  endpoint = 'https://storage.googleapis.com',
  account,
}: Address & { readonly account: GoogleAccount }): Promise<ObjectStore> => {
  const { openGcsStore } = await import('../store/gcs/gcs-store.ts');
  const requestToken = (scopes: readonly string[]) => googleAccessToken(account, scopes);
  const options = { bucket, folder, baseUrl: endpoint, requestToken, retryPolicy, partBytes, readsVersions: true };
  return withRenewal(async () => openGcsStore(options));
};

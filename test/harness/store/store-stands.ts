/** Servers for store tests: S3 (fauxqs behind its front), Google's JSON API and its token service. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { keepAliveTimeout } from '../../../infra/local/base/loopback-server.ts';
import { openFauxqs } from '../../../infra/local/engines/fauxqs/fauxqs-engine.ts';
import { makeS3Front } from '../../../infra/local/engines/fauxqs/s3-front.ts';
import { startGcs } from '../../../infra/local/engines/gcs/index.ts';
import { openGoogleToken } from '../../../infra/local/engines/identity/google-token.ts';
import type { ObjectStore } from '../../../shared/destination/index.ts';
import { openConfiguredStore, type StoreConfig } from '../../../shared/destination/open/open-store.ts';
import { openGcsStore } from '../../../shared/destination/store/gcs/gcs-store.ts';
import type { StoreRetryPolicy } from '../../../shared/destination/store/retry-transient.ts';
import { googleAccessToken, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';

export const tenant: Tenant = unsafeTenant('org_01JZ8Q4V0M6T3X9C2B7N5K1HRD', 'record');
export const bucket = 'backups';
/** Must not appear anywhere except in a signature. */
export const keys = { accessKeyId: 'AKIACANARY7K3YID0000', secretAccessKey: 'canary/secret+access/key0000000000000000' };
export const account = {
  clientEmail: 'backup@demo.iam.gserviceaccount.com',
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
/** Hardly any delay. Requests have time, because only a busy machine is slow; tests of a silent store give them less. */
export const quick: StoreRetryPolicy = { attempts: 4, firstDelayMs: 1, maxDelayMs: 2, requestMs: 20_000 };

/** Clean-up functions, run in reverse order. */
export type Stops = (() => unknown)[];

export const stopAll = async (stops: Stops): Promise<void> => {
  for (const stop of stops.splice(0).reverse()) await stop();
};

export const serve = async (stops: Stops, listener: RequestListener): Promise<string> => {
  const server = createServer({ keepAliveTimeout }, listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

export const tempDir = (stops: Stops): string => {
  const dir = mkdtempSync(join(tmpdir(), 'store-'));
  stops.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** Starts an S3 server and returns its URL. */
export const startS3 = async (stops: Stops, lockableBuckets: readonly string[] = []): Promise<string> => {
  const queues = await openFauxqs({ dir: tempDir(stops), region: 'eu-central-1', account: '1', delayScale: 1, url: () => '' });
  stops.push(() => queues.stop());
  queues.createBucket(bucket);
  return serve(stops, makeS3Front({ port: queues.port, dir: queues.s3Dir, lockableBuckets }));
};

/** Gives the bucket Object Lock, as its creation does; noncurrent versions are kept. */
export const enableObjectLock = async (url: string): Promise<void> => {
  const s3 = ownerOf(url);
  await s3.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
  s3.destroy();
};

/** The official client, as the owner of the bucket uses it. */
export const ownerOf = (url: string, accessKeyId = 'owner'): S3Client =>
  new S3Client({
    endpoint: url,
    region: 'eu-central-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey: 'secret' },
  });

export const startGoogle = async (stops: Stops): Promise<string> => {
  const gcs = startGcs({ dir: tempDir(stops) });
  gcs.createBucket(bucket);
  return serve(stops, gcs.listener);
};

const nothing = { get: () => undefined, set: () => {}, setExpiring: () => {}, delete: () => {}, all: () => [], close: () => {} };

/** Starts Google's token service and sets GOOGLE_TOKEN_URL. */
export const startTokens = async (stops: Stops): Promise<void> => {
  let url = '';
  const base = await serve(stops, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { status, body } = openGoogleToken(url, nothing).token(new URLSearchParams(Buffer.concat(parts).toString()));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  url = `${base}/token`;
  process.env.GOOGLE_TOKEN_URL = url;
};

const baseConfig: StoreConfig = { type: 's3', bucket, region: 'eu-central-1', endpoint: null, objectLock: null };

interface OpenOptions {
  readonly folder: string;
  readonly retryPolicy?: typeof quick;
  readonly config?: Partial<StoreConfig>;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly s3PartBytes?: number;
}

/** Opens a store at this URL as production code does. */
export const openAt = (
  type: StoreConfig['type'],
  url: string,
  { folder, retryPolicy = quick, config = {}, credentials = keys, s3PartBytes }: OpenOptions,
): Promise<ObjectStore> => {
  process.env.S3_URL = process.env.SPACES_URL = process.env.GCS_URL = url;
  process.env.PRIVATE_HOSTS = '';
  return openConfiguredStore(tenant, {
    config: { ...baseConfig, type, ...config },
    credentials: type === 'gcs' ? account : credentials,
    folder,
    retryPolicy,
    s3PartBytes,
  });
};

/** The smallest parts that S3 accepts: uploads of several parts take two thirds of the CPU of production's. */
export const smallS3PartBytes = 5 << 20;

/** As `openAt`, with smaller parts. */
export const openS3InParts = (
  type: 's3' | 'spaces',
  {
    url,
    folder,
    config = {},
  }: { readonly url: string; readonly folder: string; readonly config?: Partial<StoreConfig> | undefined },
): Promise<ObjectStore> => openAt(type, url, { folder, config, s3PartBytes: smallS3PartBytes });

/** A token of the service account. */
export const requestToken = (scopes: readonly string[]) => googleAccessToken(account, scopes);

/** Opens a Cloud Storage bucket with smaller parts than production's: uploads of several parts take an eighth of the CPU. */
export const openGcsInParts = (url: string, folder: string): ObjectStore =>
  openGcsStore({ bucket, folder, baseUrl: url, requestToken, retryPolicy: quick, partBytes: smallPartBytes });

/** A multiple of 256 KiB, as Cloud Storage requires. */
export const smallPartBytes = 1 << 20;

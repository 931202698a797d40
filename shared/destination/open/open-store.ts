/** Opens a destination: its credentials, its address and the kind of store it is. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { assumeRole, BlockedAddress, env, envList, guardedAgent, guardUrl, type Tenant } from '../../platform/index.ts';
import { type Credentials, openCredentials } from '../model/credentials.ts';
import type { DestinationRecord } from '../model/record.ts';
import { type ObjectStore, StorageError } from '../store/object-store.ts';
import { type RetryPolicy, workerRetryPolicy } from '../store/retry-transient.ts';
import type { S3StoreOptions } from '../store/s3/s3-bucket.ts';
import type { S3Keys } from '../store/s3/s3-connection.ts';

/** Where and what a destination is, apart from its secrets. */
export type StoreConfig = Pick<
  DestinationRecord,
  'type' | 'bucket' | 'region' | 'endpoint' | 'objectLock' | 'sse' | 'sseKmsKeyId' | 'externalId'
>;

export const partBytes = 8 << 20;
const socketsMax = 16;
const connectMaxMs = 5_000;
/** Signatures name a region; whoever has none of their own takes this one. */
const defaultRegion = 'us-east-1';

/** Names in the store are relative to `folder`. Everything is opened anew: nothing of one tenant waits for another. */
export const openStore = async (
  tenant: Tenant,
  destination: DestinationRecord,
  folder: string,
  patience: RetryPolicy = workerRetryPolicy,
): Promise<ObjectStore> => openConfiguredStore(tenant, destination, await openCredentials(tenant, destination), folder, patience);

export const openConfiguredStore = async (
  tenant: Tenant,
  place: StoreConfig,
  credentials: Credentials,
  folder: string,
  patience: RetryPolicy = workerRetryPolicy,
): Promise<ObjectStore> => {
  if ('clientEmail' in credentials) return openGcs(place, credentials, folder, patience);
  const keys = 'roleArn' in credentials ? await roleCredentials(tenant, place, credentials.roleArn) : credentials;
  return openS3(place, keys, folder, patience);
};

// Each SDK is loaded by the first store that needs it: most functions open stores of one type, many of none.

const openGcs = async (
  { bucket }: StoreConfig,
  account: Extract<Credentials, { clientEmail: string }>,
  folder: string,
  patience: RetryPolicy,
): Promise<ObjectStore> => {
  const { openGcsStore } = await import('../store/gcs/gcs-store.ts');
  return openGcsStore({ bucket, folder, baseUrl: env('GCS_URL'), account, retryPolicy: patience, partBytes });
};

const openS3 = async (place: StoreConfig, credentials: S3Keys, folder: string, patience: RetryPolicy): Promise<ObjectStore> => {
  const { S3Store } = await import('../store/s3/s3-store.ts');
  const { bucket, objectLock, sse, sseKmsKeyId } = place;
  const isAws = place.type === 's3' && place.endpoint === null;
  return new S3Store({
    ...addressOf(place),
    bucket,
    folder,
    region: place.region ?? defaultRegion,
    credentials,
    connectMs: Math.min(connectMaxMs, patience.requestMs),
    digest: isAws ? 'crc32' : 'md5',
    lockMode: objectLock ? (objectLock.mode === 'compliance' ? 'COMPLIANCE' : 'GOVERNANCE') : undefined,
    encryption: sse ? { algorithm: sse, kmsKeyId: sseKmsKeyId ?? undefined } : undefined,
    retryPolicy: patience,
    partBytes,
  });
};

const agentOptions = { keepAlive: true, maxSockets: socketsMax };
const agentFor = (url: string): HttpAgent =>
  url.startsWith('https:') ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);

/** The destination's own endpoint, guarded; else the one of the deployment; else AWS. */
const addressOf = (place: StoreConfig): Pick<S3StoreOptions, 'endpoint' | 'agent' | 'isGuessed'> => {
  if (place.endpoint !== null) {
    const guarded = guard(place.endpoint);
    return { endpoint: guarded.url.href, agent: guardedAgent(guarded, socketsMax) };
  }
  const configured = place.type === 'spaces' ? env('SPACES_URL').replace('{region}', place.region ?? '') : env('S3_URL');
  if (configured !== '') return { endpoint: configured, agent: agentFor(configured) };
  // Whoever gave no region is led to the right one.
  return { isGuessed: place.region === null, agent: agentFor('https:') };
};

const guard = (endpoint: string) => {
  try {
    return guardUrl(endpoint, envList('PRIVATE_HOSTS'));
  } catch (error) {
    if (error instanceof BlockedAddress) throw new StorageError('invalid', `The endpoint ${error.message}.`, { cause: error });
    throw error;
  }
};

/** Taken for this one store, in the name of this one organization. */
const roleCredentials = async (tenant: Tenant, { externalId }: StoreConfig, roleArn: string) => {
  const taken = await assumeRole({
    roleArn,
    externalId: externalId ?? externalIdOf(tenant),
    sessionName: tenant.organizationId,
  }).catch((cause: unknown) => {
    throw new StorageError('unavailable', 'The role could not be taken: the service that gives roles did not answer.', { cause });
  });
  if (!taken) throw new StorageError('denied', 'The role does not let us in with the ExternalId of this organization.');
  return taken;
};

/** Ours, one for each organization, and no secret: a role that asks for it opens to nobody who acts for another. */
export const externalIdOf = ({ organizationId }: Tenant): string => organizationId;

import {
  assumeRole,
  BlockedAddress,
  envList,
  federatedAccessToken,
  googleAccessToken,
  guardedAgent,
  guardUrl,
  type Tenant,
} from '../../platform/index.ts';
import { type Credentials, credentialsMissing, openCredentials } from '../model/credentials.ts';
import type { DestinationRecord } from '../model/record.ts';
import { storageRules } from '../model/storage-rules.ts';
import type { TokenRequest } from '../store/gcs/gcs-transport.ts';
import { agentFor, socketsMax } from '../store/http-agent.ts';
import { type ObjectStore, StorageError } from '../store/object-store.ts';
import { requestRetryPolicy, type StoreRetryPolicy, workerRetryPolicy } from '../store/retry-transient.ts';
import type { S3StoreOptions } from '../store/s3/s3-bucket.ts';
import type { S3Keys } from '../store/s3/s3-connection.ts';
import { withRenewal } from './with-renewal.ts';

/** The settings of a destination, without its credentials. */
export type StoreConfig = Pick<
  DestinationRecord,
  'type' | 'bucket' | 'region' | 'endpoint' | 'objectLock' | 'sse' | 'sseKmsKeyId' | 'externalId'
>;

export const partBytes = 8 << 20;
const connectMaxMs = 5_000;
/** Signatures need a region, also for stores without one. */
const defaultRegion = 'us-east-1';

/** Object names are relative to `folder`. Every store has its own connections and credentials; tenants share nothing. */
export const openStore = (tenant: Tenant, destination: DestinationRecord, folder: string): Promise<ObjectStore> =>
  openStoreWith(tenant, { destination, folder, retryPolicy: workerRetryPolicy });

/** The same for an endpoint, whose caller waits. */
export const openStoreInRequest = (tenant: Tenant, destination: DestinationRecord, folder: string): Promise<ObjectStore> =>
  openStoreWith(tenant, { destination, folder, retryPolicy: requestRetryPolicy });

/** The same for a caller that has less time, or more, than a worker. */
export const openStoreWith = async (
  tenant: Tenant,
  {
    destination,
    folder,
    retryPolicy,
  }: { readonly destination: DestinationRecord; readonly folder: string; readonly retryPolicy: StoreRetryPolicy },
): Promise<ObjectStore> => {
  const credentials = await openCredentials(tenant, destination);
  if (!credentials) throw new StorageError('denied', credentialsMissing);
  return openConfiguredStore(tenant, { config: destination, credentials, folder, retryPolicy });
};

export const openConfiguredStore = async (
  tenant: Tenant,
  {
    config,
    credentials,
    folder,
    retryPolicy = workerRetryPolicy,
    s3PartBytes = partBytes,
  }: {
    readonly config: StoreConfig;
    readonly credentials: Credentials;
    readonly folder: string;
    readonly retryPolicy?: StoreRetryPolicy | undefined;
    readonly s3PartBytes?: number | undefined;
  },
): Promise<ObjectStore> => {
  const open = () => openConnected(tenant, { config, credentials, access: { folder, retryPolicy, s3PartBytes } });
  return withRenewal(open);
};

interface FolderAccess {
  readonly folder: string;
  readonly retryPolicy: StoreRetryPolicy;
  readonly s3PartBytes: number;
}

const openConnected = async (
  tenant: Tenant,
  {
    config,
    credentials,
    access: { folder, retryPolicy, s3PartBytes },
  }: { readonly config: StoreConfig; readonly credentials: Credentials; readonly access: FolderAccess },
): Promise<ObjectStore> => {
  if ('clientEmail' in credentials)
    return openGcs(config, { requestToken: (scopes) => googleAccessToken(credentials, scopes), folder, retryPolicy });
  if ('audience' in credentials) {
    const identity = { ...credentials, sessionName: tenant.organizationId };
    return openGcs(config, { requestToken: (scopes) => federatedAccessToken(identity, scopes), folder, retryPolicy });
  }
  const keys = 'roleArn' in credentials ? await roleCredentials(tenant, config, credentials.roleArn) : credentials;
  return openS3(config, { credentials: keys, folder, retryPolicy, partBytes: s3PartBytes });
};

// A client is loaded when the first bucket needs it: a bucket has one kind, and many calls open none.

const openGcs = async (
  { bucket, objectLock }: StoreConfig,
  {
    requestToken,
    folder,
    retryPolicy,
  }: { readonly requestToken: TokenRequest; readonly folder: string; readonly retryPolicy: StoreRetryPolicy },
): Promise<ObjectStore> => {
  const { openGcsStore } = await import('../store/gcs/gcs-store.ts');
  const lockMode = objectLock ? (objectLock.mode === 'compliance' ? 'Locked' : 'Unlocked') : undefined;
  return openGcsStore({
    bucket,
    folder,
    baseUrl: storageRules.gcs.addressOf(null),
    requestToken,
    retryPolicy,
    partBytes,
    lockMode,
  });
};

const openS3 = async (
  config: StoreConfig,
  {
    credentials,
    folder,
    retryPolicy,
    partBytes,
  }: {
    readonly credentials: S3Keys;
    readonly folder: string;
    readonly retryPolicy: StoreRetryPolicy;
    readonly partBytes: number;
  },
): Promise<ObjectStore> => {
  const { S3Store } = await import('../store/s3/s3-store.ts');
  const { bucket, objectLock, sse, sseKmsKeyId } = config;
  const isAws = config.type === 's3' && config.endpoint === null;
  return new S3Store({
    ...addressOf(config),
    bucket,
    folder,
    region: config.region ?? defaultRegion,
    credentials,
    connectMs: Math.min(connectMaxMs, retryPolicy.requestMs),
    digest: isAws ? 'crc32' : 'md5',
    lockMode: objectLock ? (objectLock.mode === 'compliance' ? 'COMPLIANCE' : 'GOVERNANCE') : undefined,
    encryption: sse ? { algorithm: sse, kmsKeyId: sseKmsKeyId ?? undefined } : undefined,
    retryPolicy,
    partBytes,
  });
};

/** The destination's own endpoint, guarded; otherwise the endpoint of the deployment; otherwise AWS. */
const addressOf = ({ type, region, endpoint }: StoreConfig): Pick<S3StoreOptions, 'endpoint' | 'agent' | 'isGuessed'> => {
  if (endpoint !== null) {
    const guarded = guard(endpoint);
    return { endpoint: guarded.url.href, agent: guardedAgent(guarded, socketsMax) };
  }
  const configured = storageRules[type].addressOf(region);
  if (configured !== '') return { endpoint: configured, agent: agentFor(configured) };
  // Without a region, AWS redirects to the right one.
  return { isGuessed: region === null, agent: agentFor('https:') };
};

const guard = (endpoint: string) => {
  try {
    return guardUrl(endpoint, envList('PRIVATE_HOSTS'));
  } catch (error) {
    if (error instanceof BlockedAddress) throw new StorageError('invalid', `The endpoint ${error.message}.`, { cause: error });
    throw error;
  }
};

const roleCredentials = async (tenant: Tenant, { externalId }: StoreConfig, roleArn: string) => {
  const credentials = await assumeRole({
    roleArn,
    externalId: externalId ?? externalIdOf(tenant),
    sessionName: tenant.organizationId,
  }).catch((cause: unknown) => {
    throw new StorageError('unavailable', 'The role could not be assumed: AWS STS did not respond.', { cause });
  });
  if (!credentials) throw new StorageError('denied', 'The role cannot be assumed with the ExternalId of this organization.');
  return credentials;
};

/** One per organization, and no secret. A role that requires it cannot be used for another organization. */
export const externalIdOf = ({ organizationId }: Tenant): string => organizationId;

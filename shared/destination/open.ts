/** Opens a destination: its credentials, its address and the kind of store it is. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { BlockedAddress, env, envList, guardedAgent, guardUrl, type Tenant, takeRole } from '../platform/index.ts';
import { type Patience, workerPatience } from './attempts.ts';
import { type Credentials, openCredentials } from './credentials.ts';
import { GcsClient } from './gcs-client.ts';
import { GcsStore } from './gcs-store.ts';
import type { DestinationRecord } from './record.ts';
import { S3Store } from './s3-store.ts';
import { StorageError, type Store } from './store.ts';

/** Where and what a destination is, apart from its secrets. */
export type Place = Pick<DestinationRecord, 'type' | 'bucket' | 'region' | 'endpoint' | 'objectLock' | 'externalId'>;

export const partBytes = 8 << 20;
const socketsMax = 16;
/** Signatures name a region; whoever has none of their own takes this one. */
const defaultRegion = 'us-east-1';

/** Names in the store are relative to `folder`. Everything is opened anew: nothing of one tenant waits for another. */
export const openStore = async (
  tenant: Tenant,
  destination: DestinationRecord,
  folder: string,
  patience: Patience = workerPatience,
): Promise<Store> => openPlace(tenant, destination, await openCredentials(tenant, destination), folder, patience);

export const openPlace = async (
  tenant: Tenant,
  place: Place,
  credentials: Credentials,
  folder: string,
  patience: Patience = workerPatience,
): Promise<Store> => {
  const { bucket } = place;
  if ('clientEmail' in credentials) {
    const agent = env('GCS_URL').startsWith('https:') ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
    const client = new GcsClient({ baseUrl: env('GCS_URL'), account: credentials, agent, patience });
    return new GcsStore({ client, bucket, folder, partBytes });
  }
  const isAws = place.type === 's3' && place.endpoint === null;
  const config: S3ClientConfig = {
    ...addressOf(place, patience),
    region: place.region ?? defaultRegion,
    // A copy: the client writes into what it is given.
    credentials: 'roleArn' in credentials ? await roleCredentials(tenant, place, credentials.roleArn) : { ...credentials },
    // We try again ourselves, and check every byte by a digest of our choosing.
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
  const lockMode = place.objectLock && (place.objectLock.mode === 'compliance' ? 'COMPLIANCE' : 'GOVERNANCE');
  return new S3Store({
    ...{ client: new S3Client(config), bucket, folder, patience, partBytes, digest: isAws ? 'crc32' : 'md5' },
    ...(lockMode && { lockMode }),
  });
};

const agentOptions = { keepAlive: true, maxSockets: socketsMax };

/** The destination's own endpoint, guarded; else the one of the deployment; else AWS. */
const addressOf = (place: Place, patience: Patience): S3ClientConfig => {
  const timeouts = {
    connectionTimeout: Math.min(5_000, patience.requestMs),
    requestTimeout: patience.requestMs,
    throwOnRequestTimeout: true,
  };
  if (place.endpoint !== null) {
    const guarded = guard(place.endpoint);
    const agent = guardedAgent(guarded, socketsMax);
    const agents = guarded.url.protocol === 'https:' ? { httpsAgent: agent as HttpsAgent } : { httpAgent: agent };
    return { endpoint: guarded.url.href, forcePathStyle: true, requestHandler: { ...timeouts, ...agents } };
  }
  const requestHandler = { ...timeouts, httpsAgent: agentOptions, httpAgent: agentOptions };
  const configured = place.type === 'spaces' ? env('SPACES_URL').replace('{region}', place.region ?? '') : env('S3_URL');
  if (configured !== '') return { endpoint: configured, forcePathStyle: true, requestHandler };
  // Whoever gave no region is led to the right one.
  return { followRegionRedirects: place.region === null, requestHandler };
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
const roleCredentials = async (tenant: Tenant, { externalId }: Place, roleArn: string) => {
  const taken = await takeRole({
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

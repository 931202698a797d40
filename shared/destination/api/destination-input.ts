/** Validates a destination as a whole: which credentials, location and lock each storage type allows. */
import { accessMissing } from '../../contract/endpoints/storage-destinations.ts';
import { invalid } from '../../contract/errors.ts';
import type { SseAlgorithm } from '../../contract/models/storage-destination.ts';
import type { StorageType } from '../../contract/storage-types.ts';
import { audienceOf, type WorkloadIdentityInput, workloadIdentityFlaw } from '../../contract/workload-identity.ts';
import { BlockedAddress, checkAddress, envList, guardUrl } from '../../platform/index.ts';
import { type Credentials, maskedField } from '../model/credentials.ts';
import type { DestinationRecord } from '../model/record.ts';
import { storageRules, typesWith } from '../model/storage-rules.ts';

/** A destination before it is tested. */
export interface DestinationInput {
  readonly name: string;
  readonly type: StorageType;
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string | null;
  readonly endpoint: string | null;
  readonly credentials: Credentials;
  /** The ExternalId of an unchanged role. A new role uses the organization's own. */
  readonly externalId?: string;
  readonly immutable: boolean;
  readonly objectLock: DestinationRecord['objectLock'];
  readonly sse: SseAlgorithm | null;
  readonly sseKmsKeyId: string | null;
}

interface AccessInput {
  readonly type: StorageType;
  readonly credentials?: Credentials | undefined;
  readonly workloadIdentity?: WorkloadIdentityInput | undefined;
}

/** The one kind of access that a request names; undefined if it names none. Throws a VALIDATION_ERROR if it names two. */
export const requestedAccess = ({ type, credentials, workloadIdentity }: AccessInput): Credentials | undefined => {
  if (!workloadIdentity) return credentials;
  if (credentials) throw invalid('workloadIdentity', 'cannot be combined with credentials');
  if (storageRules[type].protocol !== 'gcs') throw invalid('workloadIdentity', 'is only supported for type gcs');
  const flaw = workloadIdentityFlaw(workloadIdentity);
  if (flaw) throw invalid('workloadIdentity', flaw);
  const { serviceAccountEmail } = workloadIdentity;
  return { audience: audienceOf(workloadIdentity), ...(serviceAccountEmail !== undefined && { serviceAccountEmail }) };
};

/** The access of a new destination, which must name one. */
export const requiredAccess = (input: AccessInput): Credentials => {
  const access = requestedAccess(input);
  if (access) return access;
  throw invalid('credentials', accessMissing);
};

/** Throws a VALIDATION_ERROR that names the field. Makes no network call except DNS lookups. */
export const checkDestinationInput = async (input: DestinationInput): Promise<void> => {
  const masked = maskedField(input.credentials);
  if (masked !== undefined) throw invalid(`credentials.${masked}`, 'is the masked value; send the real one');
  checkCredentials(input);
  checkLocation(input);
  checkEncryption(input);
  if (input.endpoint !== null) await checkEndpoint(input.endpoint);
};

const checkCredentials = ({ type, credentials, endpoint }: DestinationInput): void => {
  const flaw = storageRules[type].credentialsFlaw(credentials, endpoint);
  if (flaw) throw invalid(flaw.field, flaw.message);
};

const checkLocation = ({ type, bucket, region, endpoint, objectLock }: DestinationInput): void => {
  const { protocol, requiresRegion, hasObjectLock } = storageRules[type];
  if (protocol !== 's3' && endpoint !== null) throw invalid('endpoint', 'is only supported by S3-compatible stores');
  if (requiresRegion && region === null && endpoint === null) throw invalid('region', `is required for ${type}`);
  if (!hasObjectLock && objectLock !== null)
    throw invalid('objectLock', `is only supported for types ${typesWith((rules) => rules.hasObjectLock)}`);
  if (protocol === 's3' && !isS3Bucket(bucket)) throw invalid('bucket', `must be a valid ${type} bucket name`);
};

const checkEncryption = ({ type, sse, sseKmsKeyId }: DestinationInput): void => {
  if (storageRules[type].protocol !== 's3' && sse !== null) throw invalid('sse', 'is only supported by S3-compatible stores');
  if (sseKmsKeyId !== null && sse !== 'aws:kms') throw invalid('sseKmsKeyId', 'requires sse aws:kms');
};

/** Excludes directory buckets (`--x-s3`), which list in no order and do not expire uploads. */
const isS3Bucket = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|^\d+(\.\d+){3}$|--x-s3$/.test(name);

const checkEndpoint = async (endpoint: string): Promise<void> => {
  try {
    const guarded = guardUrl(endpoint, envList('PRIVATE_HOSTS'));
    const { pathname, search, hash } = guarded.url;
    if (pathname !== '/' || search !== '' || hash !== '') throw new BlockedAddress('must not contain a path');
    await checkAddress(guarded);
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalid('endpoint', error.message);
    throw error;
  }
};

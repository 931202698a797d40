/** What a customer asks for, checked as a whole: which credentials, place and lock go with which type. */
import { invalid } from '../../contract/errors.ts';
import type { SseAlgorithm, StorageType } from '../../contract/models/storage-destination.ts';
import { BlockedAddress, checkAddress, envList, guardUrl, readPrivateKey } from '../../platform/index.ts';
import { type Credentials, maskedField } from '../model/credentials.ts';
import type { DestinationRecord } from '../model/record.ts';

/** A destination before it is tried: all that can be chosen. */
export interface DestinationInput {
  readonly name: string;
  readonly type: StorageType;
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string | null;
  readonly endpoint: string | null;
  readonly credentials: Credentials;
  /** What a role that is kept asks for; one that is given now asks for ours. */
  readonly externalId?: string;
  readonly immutable: boolean;
  readonly objectLock: DestinationRecord['objectLock'];
  readonly sse: SseAlgorithm | null;
  readonly sseKmsKeyId: string | null;
}

/** Throws VALIDATION_ERROR that names the field. Asks nobody but the name service. */
export const checkDestinationInput = async (wish: DestinationInput): Promise<void> => {
  const masked = maskedField(wish.credentials);
  if (masked !== undefined) throw invalid(`credentials.${masked}`, 'is the masked value; send the real one');
  checkCredentials(wish);
  checkPlace(wish);
  checkEncryption(wish);
  if (wish.endpoint !== null) await checkEndpoint(wish.endpoint);
};

const checkCredentials = ({ type, credentials, endpoint }: DestinationInput): void => {
  if (type === 'gcs') {
    if (!('clientEmail' in credentials)) throw invalid('credentials', 'must be {clientEmail, privateKey} for gcs');
    if (!readPrivateKey(credentials.privateKey))
      throw invalid('credentials.privateKey', 'must be an RSA private key in PEM form');
    return;
  }
  if ('accessKeyId' in credentials) return;
  if (type === 'spaces') throw invalid('credentials', 'must be {accessKeyId, secretAccessKey} for spaces');
  if (!('roleArn' in credentials)) throw invalid('credentials', 'must be {accessKeyId, secretAccessKey} or {roleArn} for s3');
  if (endpoint !== null)
    throw invalid('credentials', 'must be {accessKeyId, secretAccessKey} with an endpoint: roles are of AWS');
};

const checkPlace = ({ type, bucket, region, endpoint, objectLock }: DestinationInput): void => {
  if (type === 'gcs' && endpoint !== null) throw invalid('endpoint', 'is for stores that speak the S3 protocol');
  if (type === 'spaces' && region === null && endpoint === null) throw invalid('region', 'is required for spaces');
  if (type !== 's3' && objectLock !== null) throw invalid('objectLock', 'is for s3 only');
  if (type !== 'gcs' && !isS3Bucket(bucket)) throw invalid('bucket', `must be the name of a bucket of ${type}`);
};

const checkEncryption = ({ type, sse, sseKmsKeyId }: DestinationInput): void => {
  if (type === 'gcs' && sse !== null) throw invalid('sse', 'is for stores that speak the S3 protocol');
  if (sseKmsKeyId !== null && sse !== 'aws:kms') throw invalid('sseKmsKeyId', 'requires sse aws:kms');
};

/** Directory buckets (`--x-s3`) list in no order and end no uploads: they are another kind of store. */
const isS3Bucket = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|^\d+(\.\d+){3}$|--x-s3$/.test(name);

const checkEndpoint = async (endpoint: string): Promise<void> => {
  try {
    const guarded = guardUrl(endpoint, envList('PRIVATE_HOSTS'));
    const { pathname, search, hash } = guarded.url;
    if (pathname !== '/' || search !== '' || hash !== '') throw new BlockedAddress('must be an address without a path');
    await checkAddress(guarded);
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalid('endpoint', error.message);
    throw error;
  }
};

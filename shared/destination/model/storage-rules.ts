/** What differs between the types of storage. A new type does not compile until it has a row here. */
import type { StorageType } from '../../contract/storage-types.ts';
import { env, readPrivateKey } from '../../platform/index.ts';
import type { Credentials } from './credentials.ts';

interface CredentialsFlaw {
  readonly field: 'credentials' | 'credentials.privateKey';
  readonly message: string;
}

interface StorageRules {
  /** The client that opens it. Only stores that speak S3 have endpoints of their own and server-side encryption by choice. */
  readonly protocol: 's3' | 'gcs';
  readonly credentialsFlaw: (credentials: Credentials, endpoint: string | null) => CredentialsFlaw | undefined;
  /** Without an endpoint. */
  readonly requiresRegion: boolean;
  readonly hasObjectLock: boolean;
  /** Within which the name of a bucket is unique: a partition of AWS, a region of Spaces, or Google. */
  readonly namespaceOf: (region: string | null) => string;
  /** The address of a destination without an endpoint; empty for that of the client itself. */
  readonly addressOf: (region: string | null) => string;
}

const flaw = (message: string): CredentialsFlaw => ({ field: 'credentials', message });

/** China and the government clouds are partitions of their own. */
const partitionOf = (region: string | null): string => /^(cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/.exec(region ?? '')?.[1] ?? '';

export const storageRules: Readonly<Record<StorageType, StorageRules>> = {
  s3: {
    protocol: 's3',
    credentialsFlaw: (credentials, endpoint) => {
      if ('accessKeyId' in credentials) return undefined;
      if (!('roleArn' in credentials)) return flaw('must be {accessKeyId, secretAccessKey} or {roleArn} for s3');
      return endpoint === null ? undefined : flaw('must be {accessKeyId, secretAccessKey} with an endpoint: roles require AWS');
    },
    requiresRegion: false,
    hasObjectLock: true,
    namespaceOf: (region) => `s3 ${partitionOf(region)}`,
    addressOf: () => env('S3_URL'),
  },
  gcs: {
    protocol: 'gcs',
    credentialsFlaw: (credentials) => {
      if ('audience' in credentials) return undefined;
      if (!('clientEmail' in credentials))
        return flaw('must be {clientEmail, privateKey} for gcs, unless it has workloadIdentity');
      return readPrivateKey(credentials.privateKey)
        ? undefined
        : { field: 'credentials.privateKey', message: 'must be an RSA private key in PEM form' };
    },
    requiresRegion: false,
    hasObjectLock: true,
    namespaceOf: () => 'gcs',
    addressOf: () => env('GCS_URL'),
  },
  spaces: {
    protocol: 's3',
    credentialsFlaw: (credentials) =>
      'accessKeyId' in credentials ? undefined : flaw('must be {accessKeyId, secretAccessKey} for spaces'),
    requiresRegion: true,
    hasObjectLock: false,
    namespaceOf: (region) => `spaces ${region}`,
    addressOf: (region) => env('SPACES_URL').replace('{region}', region ?? ''),
  },
};

/** The types with a property, as messages name them. */
export const typesWith = (has: (rules: StorageRules) => boolean): string =>
  Object.entries(storageRules)
    .filter(([, rules]) => has(rules))
    .map(([type]) => type)
    .join(' and ');

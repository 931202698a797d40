/** Credentials for a customer's bucket: encrypted at rest, bound to their destination, masked wherever they are shown. */
import type * as z from 'zod/mini';
import type { StorageCredentials } from '../../contract/endpoints/storage-destinations.ts';
import { isMasked, openSecret, sealSecret, secretMask, type Tenant } from '../../platform/index.ts';
import type { DestinationRecord, StorageIdentity } from './record.ts';

type SecretCredentials = z.output<typeof StorageCredentials>;

export type Credentials = SecretCredentials | StorageIdentity;

const secretFields = ['secretAccessKey', 'privateKey'] as const;
/** Only the last four characters are shown, so that a person can identify the key. */
const shownInPart = 'accessKeyId';

const context = (tenant: Tenant, destinationId: string) => ({
  organization: tenant.organizationId,
  destination: destinationId,
  purpose: 'destination-credentials',
});

const sealCredentials = (tenant: Tenant, destinationId: string, credentials: SecretCredentials): Promise<Uint8Array> =>
  sealSecret(JSON.stringify(credentials), context(tenant, destinationId));

interface StoredCredentials {
  readonly sealed: Uint8Array | undefined;
  readonly masked: Readonly<Record<string, string>>;
  readonly workloadIdentity: StorageIdentity | undefined;
}

/** How the record stores them. A workload identity contains no secret, so nothing is encrypted, and a former key is removed. */
export const storedCredentials = async (
  tenant: Tenant,
  destinationId: string,
  credentials: Credentials,
): Promise<StoredCredentials> =>
  'audience' in credentials
    ? { sealed: undefined, masked: {}, workloadIdentity: credentials }
    : {
        sealed: await sealCredentials(tenant, destinationId, credentials),
        masked: maskCredentials(credentials),
        workloadIdentity: undefined,
      };

/** Whether the organization can use the destination. One that a project brought without its credentials cannot be used. */
export const hasCredentials = ({ sealed, workloadIdentity }: Pick<DestinationRecord, 'sealed' | 'workloadIdentity'>): boolean =>
  sealed !== undefined || workloadIdentity !== undefined;

/** Decrypts only credentials that were encrypted for the same organization and destination. Undefined if it has none here. */
export const openCredentials = async (
  tenant: Tenant,
  { id, sealed, workloadIdentity }: Pick<DestinationRecord, 'id' | 'sealed' | 'workloadIdentity'>,
): Promise<Credentials | undefined> =>
  workloadIdentity ?? (sealed && (JSON.parse(await openSecret(sealed, context(tenant, id))) as SecretCredentials));

/** Why a destination that a project brought into the organization cannot be used yet. */
export const credentialsMissing =
  'The credentials of this storage destination stayed in its former organization. Set its credentials to use it';

/** Re-encrypts the credentials of a destination for another organization. A pool trusts only the former one, so an identity stays. */
export const moveCredentials = async (
  from: Tenant,
  to: Tenant,
  destination: Pick<DestinationRecord, 'id' | 'sealed' | 'workloadIdentity'>,
): Promise<Uint8Array | undefined> => {
  const credentials = await openCredentials(from, destination);
  return credentials && !('audience' in credentials) ? sealCredentials(to, destination.id, credentials) : undefined;
};

export const maskCredentials = (credentials: SecretCredentials): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(credentials).map(([field, value]) => [
      field,
      (secretFields as readonly string[]).includes(field)
        ? secretMask
        : field === shownInPart
          ? `${secretMask}${value.length >= 8 ? value.slice(-4) : ''}`
          : value,
    ]),
  );

/** The first field that contains a mask. A masked value must never be stored as a credential. */
export const maskedField = (credentials: Credentials): string | undefined =>
  Object.entries(credentials).find(([, value]) => isMasked(value))?.[0];

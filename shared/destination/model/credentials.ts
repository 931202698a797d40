/** Credentials for a customer's bucket: encrypted at rest, bound to their destination, masked wherever they are shown. */
import type * as z from 'zod';
import type { StorageCredentials } from '../../contract/endpoints/storage-destinations.ts';
import { isMasked, openSecret, sealSecret, secretMask, type Tenant } from '../../platform/index.ts';
import type { DestinationRecord } from './record.ts';

export type Credentials = z.output<typeof StorageCredentials>;

const secretFields = ['secretAccessKey', 'privateKey'] as const;
/** Only the last four characters are shown, so that a person can identify the key. */
const shownInPart = 'accessKeyId';

const context = (tenant: Tenant, destinationId: string) => ({
  organization: tenant.organizationId,
  destination: destinationId,
  purpose: 'destination-credentials',
});

export const sealCredentials = (tenant: Tenant, destinationId: string, credentials: Credentials): Promise<Uint8Array> =>
  sealSecret(JSON.stringify(credentials), context(tenant, destinationId));

/** Decrypts only credentials that were encrypted for the same organization and destination. */
export const openCredentials = async (
  tenant: Tenant,
  { id, sealed }: Pick<DestinationRecord, 'id' | 'sealed'>,
): Promise<Credentials> => JSON.parse(await openSecret(sealed, context(tenant, id))) as Credentials;

/** Re-encrypts the credentials of a destination for another organization. */
export const moveCredentials = async (
  from: Tenant,
  to: Tenant,
  destination: Pick<DestinationRecord, 'id' | 'sealed'>,
): Promise<Uint8Array> => sealCredentials(to, destination.id, await openCredentials(from, destination));

export const maskCredentials = (credentials: Credentials): Readonly<Record<string, string>> =>
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

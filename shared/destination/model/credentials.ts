/** What a customer gave us to reach a bucket with: sealed for that destination at rest, masked wherever it is shown. */
import type * as z from 'zod';
import type { StorageCredentials } from '../../contract/endpoints/storage-destinations.ts';
import { openSecret, sealSecret, type Tenant } from '../../platform/index.ts';
import type { DestinationRecord } from './record.ts';

export type Credentials = z.output<typeof StorageCredentials>;

/** Stands for a secret. It is no secret that any store gives out, so it can be told from one when it is sent back. */
export const mask = '********';

const secretFields = ['secretAccessKey', 'privateKey'] as const;
/** Shown by its last four characters, so that a person can tell which key it is. */
const shownInPart = 'accessKeyId';

const context = (tenant: Tenant, destinationId: string) => ({
  organization: tenant.organizationId,
  destination: destinationId,
  purpose: 'destination-credentials',
});

export const sealCredentials = (tenant: Tenant, destinationId: string, credentials: Credentials): Promise<Uint8Array> =>
  sealSecret(JSON.stringify(credentials), context(tenant, destinationId));

/** Only what was sealed for this very destination of this very organization opens. */
export const openCredentials = async (
  tenant: Tenant,
  { id, sealed }: Pick<DestinationRecord, 'id' | 'sealed'>,
): Promise<Credentials> => JSON.parse(await openSecret(sealed, context(tenant, id))) as Credentials;

/** The same credentials for the same destination in another organization. */
export const moveCredentials = async (
  from: Tenant,
  to: Tenant,
  destination: Pick<DestinationRecord, 'id' | 'sealed'>,
): Promise<Uint8Array> => sealCredentials(to, destination.id, await openCredentials(from, destination));

/** What may be shown of credentials. */
export const maskCredentials = (credentials: Credentials): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(credentials).map(([field, value]) => [
      field,
      (secretFields as readonly string[]).includes(field)
        ? mask
        : field === shownInPart
          ? `${mask}${value.length >= 8 ? value.slice(-4) : ''}`
          : value,
    ]),
  );

/** The first field that holds a mask instead of a value: what we showed must never become what we use. */
export const maskedField = (credentials: Credentials): string | undefined =>
  Object.entries(credentials).find(([, value]) => /\*{4}|\u2022{3}/.test(value))?.[0];

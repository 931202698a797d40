/** What the Admin API tells about a database, in its own words. */
import * as z from 'zod/mini';

const accessMode = ['DATA_ACCESS_MODE_ENABLED', 'DATA_ACCESS_MODE_DISABLED'] as const;

/** The settings of a database that no document shows; each has the value of a new database of the Standard edition. */
export const DatabaseInfo = z.strictObject({
  locationId: z._default(z.string(), 'nam5'),
  type: z._default(z.enum(['FIRESTORE_NATIVE', 'DATASTORE_MODE']), 'FIRESTORE_NATIVE'),
  databaseEdition: z._default(z.enum(['STANDARD', 'ENTERPRISE']), 'STANDARD'),
  firestoreDataAccessMode: z._default(z.enum(accessMode), 'DATA_ACCESS_MODE_ENABLED'),
  mongodbCompatibleDataAccessMode: z._default(z.enum(accessMode), 'DATA_ACCESS_MODE_DISABLED'),
  realtimeUpdatesMode: z._default(
    z.enum(['REALTIME_UPDATES_MODE_ENABLED', 'REALTIME_UPDATES_MODE_DISABLED']),
    'REALTIME_UPDATES_MODE_ENABLED',
  ),
  deleteProtectionState: z._default(
    z.enum(['DELETE_PROTECTION_DISABLED', 'DELETE_PROTECTION_ENABLED']),
    'DELETE_PROTECTION_DISABLED',
  ),
});
export type DatabaseInfo = z.output<typeof DatabaseInfo>;

export const defaultInfo: DatabaseInfo = DatabaseInfo.parse({});

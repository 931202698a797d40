/** The project and the destination of a backup environment, as the table stores them. */
import type { DestinationRecord } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { newId, type Tenant } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { databaseId } from '../../firestore/write-documents.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

export const projectRecord = (tenant: Tenant, id: string, sourceProjectId: string): ProjectRecord => ({
  ...projectKey.project(tenant, id),
  id,
  name: 'Shop',
  sourceProjectId,
  databaseId,
  status: 'connected',
  connection: { type: 'user', userId: newId('user'), email: 'ada@example.com' },
  settings: { backupTimeoutMinutes: 30, defaultStorageId: null },
  pitr: { enabled: false },
  lastBackupAt: null,
  createdAt,
  updatedAt: createdAt,
});

export const destinationRecord = (tenant: Tenant, id: string): DestinationRecord => ({
  ...organizationKey.storageDestination(tenant, id),
  id,
  name: 'Bucket',
  type: 's3',
  bucket: 'bucket',
  prefix: '',
  region: 'eu-central-1',
  endpoint: null,
  sealed: [] as unknown as Uint8Array,
  masked: {},
  immutable: false,
  objectLock: null,
  status: 'connected',
  backupCount: 0,
  lastTestedAt: null,
  createdAt,
  updatedAt: createdAt,
});

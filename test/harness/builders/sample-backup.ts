/** A backup and its context, for rules that are tested without a table. */

import type { OrganizationRecord } from '../../../shared/organization/index.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import type { ProjectRecord } from '../../../shared/project/index.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';

export const tenant = unsafeTenant(newId('organization'), 'created');
export const projectId = newId('project');
export const now = new Date('2026-03-01T10:00:00.000Z');

export const organization = { id: tenant.organizationId, name: 'Acme', defaultStorageId: null } as OrganizationRecord;

export const project = {
  id: projectId,
  name: 'Shop',
  sourceProjectId: 'shop-1',
  settings: { backupTimeoutMinutes: 30, defaultStorageId: null },
} as unknown as ProjectRecord;

export const backupOf = (more: Partial<BackupRecord> = {}): BackupRecord => {
  const id = (more.id as string | undefined) ?? newId('backup', now);
  return {
    ...backupKey.backup(tenant, id),
    id,
    projectId,
    type: 'full',
    parentBackupId: null,
    status: 'completed',
    phase: 'finished',
    trigger: 'manual',
    scheduleId: null,
    collections: ['*'],
    excludedCollections: [],
    includeAuthUsers: false,
    storageDestination: { id: newId('storageDestination'), name: 'Bucket', type: 's3' },
    path: `${projectId}/${id}`,
    archive: { organization: tenant.organizationId, project: projectId, backup: id },
    encryption: { mode: 'kms', keyId: 'arn:aws:kms:eu-central-1:1:key/x' },
    documents: 0,
    totalDocuments: null,
    toldPercent: 0,
    reads: 0,
    readTime: null,
    unknownCollections: [],
    size: 0,
    originalSize: 0,
    documentCount: 0,
    collectionCounts: [],
    countVerified: null,
    verification: null,
    verifiedAt: null,
    restoreTestedAt: null,
    lockedUntil: null,
    immutableUntil: null,
    expiresAt: null,
    createdAt: now.toISOString(),
    startedAt: null,
    completedAt: null,
    deadline: null,
    error: null,
    createdBy: { type: 'user', id: newId('user') },
    ...more,
  };
};

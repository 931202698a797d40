/** A completed backup, two projects and a destination in a table that evaluates conditions, for tests without Firestore. */

import type { DestinationRecord } from '../../../shared/destination/index.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import { newId, type Write, warm } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import type { RestoreRecord } from '../../../shared/restore/model/record.ts';
import type { StartRestoreOptions } from '../../../shared/restore/model/start-options.ts';
import { startRestore } from '../../../shared/restore/start/start-restore.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../aws/in-process.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';
import { backupOf, now, organization, project, projectId, tenant } from './sample-backup.ts';

export { now, organization, projectId, tenant } from './sample-backup.ts';

export const table = new InMemoryTable();
const answering = warm(() => answerInProcess(table.script));

export const targetId = newId('project', now);
export const source = { ...project, ...projectKey.project(tenant, projectId) } as ProjectRecord;
export const target = {
  ...source,
  ...projectKey.project(tenant, targetId),
  id: targetId,
  name: 'Copy',
  sourceProjectId: 'copy-1',
} as ProjectRecord;
export const destination = {
  ...organizationKey.storageDestination(tenant, 'x'),
  id: newId('storageDestination', now),
  name: 'Bucket',
  type: 's3',
  prefix: 'kept/here',
  backupCount: 1,
} as DestinationRecord;

const storageDestination = { id: destination.id, name: 'Bucket', type: 's3' } as const;

/** Puts a backup into the table. */
export const putBackup = (more: Partial<BackupRecord> = {}): BackupRecord => {
  const backup = { ...backupOf({ storageDestination, ...more }) };
  table.put(backup);
  return backup;
};

/** An organization with both projects and the destination, and nothing else. */
export const resetTable = (): void => {
  answering();
  table.items.clear();
  table.put({ ...(organization as OrganizationRecord), ...organizationKey.organization(tenant) });
  table.put(source);
  table.put(target);
  table.put({ ...destination, ...organizationKey.storageDestination(tenant, destination.id) });
};

const encryption = { mode: 'kms', keyId: 'arn' } as const;

export const startOptions: StartRestoreOptions = {
  mergeMode: 'overwrite',
  dryRun: false,
  collections: ['*'],
  includeSubcollections: true,
  includeAuthUsers: false,
  safetyBackup: true,
  createdBy: { type: 'user', id: newId('user', now) },
};

/** A new restore of the backup into the other project. */
export const begin = (backup: BackupRecord, more: Partial<StartRestoreOptions> = {}) =>
  startRestore({ tenant, backup, project: source, target, destination, encryption }, { ...startOptions, ...more }, now);

/** Puts a restore in some state into the table, without its locks and holds. */
export const putRestore = (backup: BackupRecord, more: Partial<RestoreRecord> = {}): RestoreRecord => {
  const restore = { ...begin(backup).restore, ...more };
  table.put(restore);
  return restore;
};

/** The kind and the item type of each write. */
export const keysOf = (writes: readonly Write[]): string[] =>
  writes.map((write) => {
    const { sk } = 'put' in write ? write.put : 'update' in write ? write.update : 'remove' in write ? write.remove : write.check;
    return `${Object.keys(write).find((name) => /put|update|remove|check/.test(name))} ${sk.split('#')[0]}`;
  });

export const restoringOf = (backup: BackupRecord): number | undefined =>
  table.get<BackupRecord>(backupKey.backup(tenant, backup.id))?.restoring;

export const code = (wanted: string, message?: RegExp) => (error: Error & { code?: string }) =>
  error.code === wanted && (message === undefined || message.test(error.message));

export const field = (wanted: string) => (error: Error & { code?: string; details?: { field?: string } }) =>
  error.code === 'VALIDATION_ERROR' && error.details?.field === wanted;

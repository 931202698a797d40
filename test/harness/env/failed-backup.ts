/** A backup of a small database that must fail, and the checks of what it leaves behind. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { StartBackupOptions } from '../../../shared/backup/model/start-options.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import type { BackupEnv, RunBackupOptions } from './backup-env.ts';

export const paths = ['a/1', 'a/1/gone/2/deep/3', 'b/1', 'c/1', 'd/1'];
export const startOptions = { excludeCollections: ['bb'] };

/** Resets the environment and writes the documents. */
export const resetWithDocuments = async (t: BackupEnv): Promise<void> => {
  t.reset();
  await t.writePaths(paths, 500);
};

/** A failed backup leaves no objects, and another one can start at once. */
export const assertCleanedUp = async (t: BackupEnv, id: string): Promise<void> => {
  const { table } = t;
  deepEqual([...t.store.objects.keys()], []);
  equal(await t.store.abortUnfinishedUploads(''), 0);
  const items = {
    work: table.find('WORK#'),
    running: table.find('RUNNING#'),
    jobs: table.find('ORG#', 'JOB#'),
    archives: table.find('ORG#', 'ARCHIVE#'),
  };
  deepEqual(items, { work: [], running: [], jobs: [], archives: [] });
  const { backupCount, storageUsed } = t.organization;
  deepEqual({ backupCount, storageUsed }, { backupCount: 0, storageUsed: 0 });
  equal(table.get(organizationKey.storageDestination(t.tenant, t.destinationId))?.backupCount, 0);
  const events = { completed: t.events('backup.completed').length, failed: t.events('backup.failed').length };
  deepEqual(events, { completed: 0, failed: 1 });
  const { failure, trouble, phase } = t.backupOf(id);
  deepEqual({ failure, trouble, phase }, { failure: undefined, trouble: undefined, phase: 'finished' });
  t.server.faults.clear();
  Object.assign(t, { wrapStore: (store: unknown) => store, token: async () => 'owner', nowMs: () => Date.now() });
  const next = await t.startBackup(startOptions);
  await t.runBackup(next);
  equal(t.backupOf(next).status, 'completed');
};

/** Runs a backup that must fail, and returns its record. */
export const runFailingBackup = async (t: BackupEnv, start: Partial<StartBackupOptions> = {}, options: RunBackupOptions = {}) => {
  const id = await t.startBackup({ ...startOptions, ...start });
  const errors: string[] = [];
  await t.runBackup(id, { onError: (step, { name }) => errors.push(`${step} ${name}`), ...options });
  const record = t.backupOf(id);
  equal(record.status, 'failed');
  ok(record.completedAt);
  const [reported] = t.events('backup.failed').map(({ data }) => (data as { backup: { error: unknown } }).backup.error);
  deepEqual(reported, { details: {}, ...record.error });
  return { id, record, errors, error: record.error! };
};

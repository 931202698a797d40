/** A restore starts completely or not at all. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import { databaseOf, projectKey } from '../../../../shared/project/index.ts';
import { type RestoreRecord, restoreKey, type ScopeRecord } from '../../../../shared/restore/model/record.ts';
import { type BackupRecord, backupKey } from '../../../../shared/stored-backup/index.ts';
import {
  begin,
  code,
  destination,
  keysOf,
  now,
  putBackup,
  resetTable,
  restoringOf,
  table,
  target,
  targetId,
  tenant,
} from '../../../harness/builders/sample-restore.ts';

let backup: BackupRecord;
beforeEach(() => {
  resetTable();
  backup = putBackup();
});
const job = () => table.get(projectKey.job(tenant, targetId));

test('startRestore: all conditions are in one transaction, and no item is in it twice', () => {
  const { writes } = begin(backup, { documents: { paths: ['a/b'], given: [['a/b', ['a/b']]] } });
  deepEqual(keysOf(writes), [
    'update META',
    'check PROJECT',
    'put JOB',
    'put JOB',
    'update BACKUP',
    `put ${tenant.organizationId}`,
    'put TASK',
    'check DESTINATION',
    'put RESTORE',
    'put SCOPE',
  ]);
});

test('startRestore: the restore is pending, locks its target, holds its backup and enqueues its workflow', async () => {
  const { restore, writes } = begin(backup, { maxWritesPerSecond: 7 });
  await commit(writes);
  const kept = table.get<RestoreRecord>(restoreKey.restore(tenant, restore.id))!;
  deepEqual([kept.status, kept.phase, kept.attempt, kept.maxWritesPerSecond], ['pending', 'Initializing', 1, 7]);
  deepEqual([kept.projectName, kept.targetProjectName, kept.backupCreatedAt], ['Shop', 'Copy', backup.createdAt]);
  deepEqual([job()?.jobId, job()?.kind], [restore.id, 'restore']);
  equal(restoringOf(backup), 1);
  const note = table.get(restoreKey.running(tenant, restore.id))!;
  deepEqual([note.restoreJobId, note.attempt, note.since], [restore.id, 1, now.toISOString()]);
  const [task] = table.find(`ORG#${tenant.organizationId}`, 'TASK#');
  deepEqual(JSON.parse(String(task?.message)).task, { kind: 'start-restore', restoreJobId: restore.id, attempt: 1 });
});

test('startRestore: the journal has a path and an id of its own beside the backups of the target', () => {
  const { journal } = begin(backup).restore;
  deepEqual(journal.storageDestination, { id: destination.id, name: 'Bucket', type: 's3' });
  equal(journal.path, `kept/here/${targetId}/${journal.backupId}`);
  ok(journal.backupId.startsWith('bkp_') && journal.backupId !== backup.id && journal.keyFile === undefined);
  ok(begin(backup).restore.journal.backupId !== journal.backupId);
});

test('startRestore: requested documents have an item of their own; the record shows the first 100', async () => {
  const given = Array.from({ length: 250 }, (_, n) => [`u/${n}`, [`u/${n}`]] as const);
  const { restore, writes } = begin(backup, { documents: { paths: given.map(([path]) => path), given } });
  await commit(writes);
  const scope = table.get<ScopeRecord>(restoreKey.scope(tenant, restore.id))!;
  deepEqual(JSON.parse(scope.given), given);
  equal((JSON.parse(scope.documents) as string[]).length, 250);
  equal(restore.documentIds?.length, 100);
});

test('startRestore: long names do not make the record too large', () => {
  const given = Array.from({ length: 60 }, (_, n) => [`${'x'.repeat(1_400)}/${n}`, []] as const);
  const shown = begin(backup, { documents: { paths: [], given } }).restore.documentIds!;
  ok(shown.length > 0 && Buffer.byteLength(JSON.stringify(shown)) < 11_000, `${shown.length}`);
});

describe('startRestore: nothing is written', () => {
  const refused = async (wanted: (error: Error) => boolean) => {
    const before = [...table.items.keys()].sort();
    await rejects(commit(begin(backup).writes), wanted);
    deepEqual([...table.items.keys()].sort(), before);
    ok(!restoringOf(backup));
  };

  test('if the target has a job', async () => {
    table.put({ ...projectKey.job(tenant, targetId), jobId: 'bkp_1', kind: 'backup', since: '' });
    await refused((error) => code('JOB_IN_PROGRESS', /A backup of this project/)(error));
  });
  test('if the target was disconnected', async () => {
    table.items.delete(`${projectKey.project(tenant, targetId).pk}\n${projectKey.project(tenant, targetId).sk}`);
    await refused(code('PROJECT_NOT_FOUND'));
  });
  for (const [what, change] of [
    ['deleted', { status: 'deleted' }],
    ['moved away', { leaving: 'move' }],
  ] as const)
    test(`if the backup is being ${what}`, async () => {
      table.put({ ...backup, ...change });
      await refused(code('CONFLICT'));
    });
  test('if the destination of the journal is gone', async () => {
    const { pk, sk } = organizationKey.storageDestination(tenant, destination.id);
    table.items.delete(`${pk}\n${sk}`);
    await refused(code('CONFLICT'));
  });
  test('if the organization was deleted', async () => {
    const { pk, sk } = organizationKey.organization(tenant);
    table.put({ ...table.get({ pk, sk }), pk, sk, deletedAt: now.toISOString() });
    await refused(code('ORGANIZATION_NOT_FOUND'));
  });
});

test('startRestore: two restores of one backup into two targets are two holds', async () => {
  await commit(begin(backup).writes);
  for (const { pk, sk } of [projectKey.job(tenant, targetId), projectKey.databaseJob(tenant, databaseOf(target))])
    table.items.delete(`${pk}\n${sk}`);
  await commit(begin(backup).writes);
  equal(restoringOf(backup), 2);
  equal(table.get<BackupRecord>(backupKey.backup(tenant, backup.id))?.status, 'completed');
});

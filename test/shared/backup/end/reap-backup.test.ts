/** What the reaper does with a backup, for every state of its workflow. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { backupJobs, planBackup, prepareBackup } from '../../../../shared/backup/index.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { decideReaping, type Execution, type JobWorkflow, reapRunningJobs } from '../../../../shared/job/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { backupKey, type RunningRecord } from '../../../../shared/stored-backup/index.ts';
import { backupOf } from '../../../harness/builders/sample-backup.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';
import { faulty } from '../../../harness/faults/faulty-store.ts';

const t = await createBackupEnv();

const minutes = (count: number): string => new Date(Date.parse('2026-03-01T12:00:00.000Z') + count * 60_000).toISOString();
const now = new Date(minutes(0));
const noteOf = (since: string, restartedAt?: string) =>
  ({ since, ...(restartedAt && { restartedAt }) }) as unknown as RunningRecord;

const workflowThat = (execution: Execution, calls: string[]): JobWorkflow => ({
  describe: async () => execution,
  start: async () => void calls.push('start'),
  stop: async () => void calls.push('stop'),
});

describe('reaper decision', () => {
  const jobs = backupJobs(t.deps, workflowThat('ended', []));
  const running = backupOf({ status: 'running', startedAt: minutes(-10), deadline: minutes(20) });
  const pending = backupOf({ status: 'pending' });
  const failure = { code: 'COUNT_MISMATCH', message: 'one too few' } as const;
  const overdue = { deadline: minutes(-31), startedAt: minutes(-61) };
  const cases = [
    ['that runs, like its workflow', running, noteOf(minutes(-10)), 'running', 'leave'],
    ['that runs without its workflow', running, noteOf(minutes(-10)), 'ended', 'INTERNAL_ERROR'],
    [
      'whose workflow ended after a step had recorded why',
      { ...running, failure },
      noteOf(minutes(-10)),
      'ended',
      'COUNT_MISMATCH',
    ],
    [
      'whose workflow ended when its time was over',
      { ...running, deadline: minutes(-1) },
      noteOf(minutes(-31)),
      'ended',
      'BACKUP_TIMEOUT',
    ],
    ['a little beyond its time', { ...running, deadline: minutes(-29) }, noteOf(minutes(-59)), 'running', 'leave'],
    ['far beyond its time', { ...running, ...overdue }, noteOf(minutes(-61)), 'running', 'BACKUP_TIMEOUT'],
    ['that waits to begin', pending, noteOf(minutes(-4)), 'unknown', 'leave'],
    ['that waits too long', pending, noteOf(minutes(-5)), 'unknown', 'start'],
    ['that was started again just now', pending, noteOf(minutes(-9), minutes(-4)), 'unknown', 'leave'],
    ['that could not be started twice', pending, noteOf(minutes(-10), minutes(-5)), 'unknown', 'INTERNAL_ERROR'],
    ['whose workflow ended before it began', pending, noteOf(minutes(-1)), 'ended', 'INTERNAL_ERROR'],
    [
      'that failed, and its workflow still cleans up',
      backupOf({ status: 'failed', completedAt: minutes(-5) }),
      noteOf(minutes(-9)),
      'running',
      'leave',
    ],
    [
      'that failed, and is not cleaned up',
      backupOf({ status: 'failed', completedAt: minutes(-5) }),
      noteOf(minutes(-9)),
      'ended',
      'clean',
    ],
    ['that was cancelled before it began', backupOf({ status: 'cancelled' }), noteOf(minutes(-1)), 'unknown', 'clean'],
    [
      'that failed half an hour ago and still runs',
      backupOf({ status: 'failed', completedAt: minutes(-31) }),
      noteOf(minutes(-99)),
      'running',
      'clean',
    ],
    [
      'that could not be cleaned up after for a day',
      backupOf({ status: 'failed', completedAt: minutes(-1_441) }),
      noteOf(minutes(-1_500)),
      'ended',
      'give-up',
    ],
    ['of which there is no record', undefined, noteOf(minutes(-1)), 'ended', 'clean'],
  ] as const;
  for (const [what, backup, note, execution, expected] of cases)
    test(`${what}: ${expected}`, () => {
      const verdict = decideReaping(jobs, { job: backup, item: note, execution, now });
      equal(typeof verdict === 'string' ? verdict : verdict.code, expected);
    });
});

interface ReapSetup {
  readonly id: string;
  readonly calls: string[];
  reap(execution: Execution): Promise<void>;
}

const startReaping = async (): Promise<ReapSetup> => {
  t.reset();
  await t.writePaths(['a/1']);
  const id = await t.startBackup();
  const calls: string[] = [];
  const reap: ReapSetup['reap'] = (execution) =>
    reapRunningJobs(backupJobs(t.deps, workflowThat(execution, calls)), () => t.tenant);
  return { id, calls, reap };
};

test('reaper: a backup whose workflow died fails once, its project is released and its objects are deleted', async () => {
  const { id, reap } = await startReaping();
  await prepareBackup(t.tenant, id, t.deps);
  await planBackup(t.tenant, id, t.deps);
  equal(t.store.objects.size, 1);
  await reap('ended');
  await reap('ended');
  deepEqual([t.backupOf(id).status, t.backupOf(id).error?.code], ['failed', 'INTERNAL_ERROR']);
  deepEqual(
    [t.store.objects.size, t.table.find('WORK#'), t.table.find('RUNNING#'), t.table.find('ORG#', 'JOB#')],
    [0, [], [], []],
  );
  equal(t.events('backup.failed').length, 1);
  const next = await t.startBackup();
  await t.runBackup(next);
  equal(t.backupOf(next).status, 'completed');
});

test('reaper: a workflow that never started is started once more, then the backup fails', async () => {
  const { id, calls, reap } = await startReaping();
  await reap('unknown');
  deepEqual(calls, []);
  const startMs = Date.now();
  t.nowMs = () => startMs + 301_000;
  await reap('unknown');
  await reap('unknown');
  deepEqual([calls, t.backupOf(id).status], [['start'], 'pending']);
  t.nowMs = () => startMs + 700_000;
  await reap('unknown');
  deepEqual(
    [calls, t.backupOf(id).status, t.backupOf(id).error?.message],
    [['start'], 'failed', 'The service could not start the backup'],
  );
});

test('reaper: a workflow past its deadline is stopped, and its backup fails with BACKUP_TIMEOUT', async () => {
  const { id, calls, reap } = await startReaping();
  await prepareBackup(t.tenant, id, t.deps);
  const startMs = Date.now();
  t.nowMs = () => startMs + 61 * 60_000;
  await reap('running');
  deepEqual([calls, t.backupOf(id).error?.code], [['stop'], 'BACKUP_TIMEOUT']);
});

test('reaper: an unreachable destination is retried, and given up after a day', async () => {
  const { id, reap } = await startReaping();
  await prepareBackup(t.tenant, id, t.deps);
  t.wrapStore = () => {
    throw new StorageError('unavailable', 'away');
  };
  for (const _ of [1, 2]) await reap('ended').catch(() => undefined);
  deepEqual([t.backupOf(id).status, t.table.find('RUNNING#').length], ['failed', 1]);
  const startMs = Date.now();
  t.nowMs = () => startMs + 25 * 3_600_000;
  await reap('ended');
  deepEqual([t.table.find('RUNNING#'), t.store.objects.size], [[], 1]);
  equal(t.backupOf(id).objectsKept?.reason, 'The storage destination did not respond for a day');
});

test('reaper: a clean-up that the store refuses is retried with back-off, then the record and the audit log tell', async () => {
  const { id, reap } = await startReaping();
  await prepareBackup(t.tenant, id, t.deps);
  faulty(t, (operation) => (operation === 'remove' ? new StorageError('denied', 'The store refused.') : undefined));
  const startMs = Date.now();
  await reap('ended');
  const [item] = t.table.find('RUNNING#') as readonly RunningRecord[];
  deepEqual([t.backupOf(id).status, item?.cleanUpAttempts, t.backupOf(id).objectsKept], ['failed', 1, undefined]);
  // It is not due yet.
  t.nowMs = () => startMs + 200_000;
  await reap('ended');
  deepEqual((t.table.find('RUNNING#')[0] as RunningRecord).cleanUpAttempts, 1);
  let passedMs = 0;
  for (let attempts = 1; attempts < 9; attempts++) {
    deepEqual((t.table.find('RUNNING#')[0] as RunningRecord).cleanUpAttempts, attempts);
    passedMs += 300_000 * 2 ** (attempts - 1) + 60_000;
    t.nowMs = () => startMs + passedMs;
    await reap('ended');
  }
  deepEqual([t.table.find('RUNNING#'), t.backupOf(id).objectsKept?.reason], [[], 'The store refused.']);
  const kept = t.table.find('AUDIT#').filter(({ action }) => action === 'backup.objects_kept');
  deepEqual(
    kept.map(({ details }) => (details as { reason: string; path: string }).path),
    [t.backupOf(id).path],
  );
  ok(t.store.objects.size > 0);
});

test('reaper: a clean-up that the store refused succeeds once it is allowed', async () => {
  const { id, reap } = await startReaping();
  await prepareBackup(t.tenant, id, t.deps);
  faulty(t, (operation) => (operation === 'remove' ? new StorageError('denied', 'The store refused.') : undefined));
  await reap('ended');
  t.wrapStore = (store) => store;
  const startMs = Date.now();
  t.nowMs = () => startMs + 301_000;
  await reap('ended');
  deepEqual([t.table.find('RUNNING#'), t.store.objects.size, t.backupOf(id).objectsKept], [[], 0, undefined]);
});

test('reaper: a running item without a backup is deleted, with its work items', async () => {
  const { id, reap } = await startReaping();
  await prepareBackup(t.tenant, id, t.deps);
  await planBackup(t.tenant, id, t.deps);
  const { pk, sk } = backupKey.backup(t.tenant, id);
  t.table.items.delete(`${pk}\n${sk}`);
  await reap('running');
  deepEqual([t.table.find('RUNNING#'), t.table.find('WORK#')], [[], []]);
  equal(t.table.get<{ jobId: string }>(projectKey.job(t.tenant, t.projectId))?.jobId, id);
});

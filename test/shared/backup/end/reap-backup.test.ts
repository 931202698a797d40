/** What the reaper does with a backup, for every way in which its workflow can be gone. */
import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { backupJobs, backupKey, planBackup, prepareBackup, type RunningRecord } from '../../../../shared/backup/index.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { decideReaping, type Execution, type JobWorkflow, reapRunningJobs } from '../../../../shared/job/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { backupOf } from '../../../harness/builders/sample-backup.ts';
import {
  begin,
  eventsOf,
  newWorld,
  projectId,
  recordOf,
  runWorkflow,
  server,
  table,
  tenant,
  type World,
  writePaths,
} from '../../../harness/env/backup-env.ts';

afterAll(() => server.stop());

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
  const jobs = backupJobs(newWorld().engine, workflowThat('ended', []));
  const running = backupOf({ status: 'running', startedAt: minutes(-10), deadline: minutes(20) });
  const pending = backupOf({ status: 'pending' });
  const failure = { code: 'COUNT_MISMATCH', message: 'one too few' } as const;
  const overdue = { deadline: minutes(-31), startedAt: minutes(-61) };
  const cases = [
    ['that runs, as its workflow does', running, noteOf(minutes(-10)), 'running', 'leave'],
    ['that runs without its workflow', running, noteOf(minutes(-10)), 'ended', 'INTERNAL_ERROR'],
    ['whose workflow ended after a step had told why', { ...running, failure }, noteOf(minutes(-10)), 'ended', 'COUNT_MISMATCH'],
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
      'that failed, and nobody cleans up',
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
      'that nobody could clean up after for a day',
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

interface Scene {
  readonly world: World;
  readonly id: string;
  readonly calls: string[];
  reap(execution: Execution): Promise<void>;
}

const sceneOf = async (): Promise<Scene> => {
  const world = newWorld();
  await writePaths(world, ['a/1']);
  const id = await begin(world);
  const calls: string[] = [];
  const reap: Scene['reap'] = (execution) =>
    reapRunningJobs(backupJobs(world.engine, workflowThat(execution, calls)), () => tenant);
  return { world, id, calls, reap };
};

test('reaper: a backup whose workflow died fails once, its project is released and its objects are deleted', async () => {
  const { world, id, reap } = await sceneOf();
  await prepareBackup(tenant, id, world.engine);
  await planBackup(tenant, id, world.engine);
  equal(world.store.objects.size, 1);
  await reap('ended');
  await reap('ended');
  deepEqual([recordOf(id).status, recordOf(id).error?.code], ['failed', 'INTERNAL_ERROR']);
  deepEqual([world.store.objects.size, table.find('WORK#'), table.find('RUNNING#'), table.find('ORG#', 'JOB#')], [0, [], [], []]);
  equal(eventsOf('backup.failed').length, 1);
  const next = await begin(world);
  await runWorkflow(world, next);
  equal(recordOf(next).status, 'completed');
});

test('reaper: a workflow that never started is started once more, then the backup fails', async () => {
  const { world, id, calls, reap } = await sceneOf();
  await reap('unknown');
  deepEqual(calls, []);
  const startMs = Date.now();
  world.nowMs = () => startMs + 301_000;
  await reap('unknown');
  await reap('unknown');
  deepEqual([calls, recordOf(id).status], [['start'], 'pending']);
  world.nowMs = () => startMs + 700_000;
  await reap('unknown');
  deepEqual(
    [calls, recordOf(id).status, recordOf(id).error?.message],
    [['start'], 'failed', 'The service could not start the backup'],
  );
});

test('reaper: a workflow past its deadline is stopped, and its backup fails with BACKUP_TIMEOUT', async () => {
  const { world, id, calls, reap } = await sceneOf();
  await prepareBackup(tenant, id, world.engine);
  const startMs = Date.now();
  world.nowMs = () => startMs + 61 * 60_000;
  await reap('running');
  deepEqual([calls, recordOf(id).error?.code], [['stop'], 'BACKUP_TIMEOUT']);
});

test('reaper: an unreachable destination is retried, and given up after a day', async () => {
  const { world, id, reap } = await sceneOf();
  await prepareBackup(tenant, id, world.engine);
  world.through = () => {
    throw new StorageError('unavailable', 'away');
  };
  for (const _ of [1, 2]) await reap('ended').catch(() => undefined);
  deepEqual([recordOf(id).status, table.find('RUNNING#').length], ['failed', 1]);
  const startMs = Date.now();
  world.nowMs = () => startMs + 25 * 3_600_000;
  await reap('ended');
  deepEqual([table.find('RUNNING#'), world.store.objects.size], [[], 1]);
});

test('reaper: a running item without a backup is deleted, with its work items', async () => {
  const { world, id, reap } = await sceneOf();
  await prepareBackup(tenant, id, world.engine);
  await planBackup(tenant, id, world.engine);
  const { pk, sk } = backupKey.backup(tenant, id);
  table.items.delete(`${pk}\n${sk}`);
  await reap('running');
  deepEqual([table.find('RUNNING#'), table.find('WORK#')], [[], []]);
  equal(table.get<{ jobId: string }>(projectKey.job(tenant, projectId))?.jobId, id);
});

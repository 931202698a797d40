/** What the reaper does with a restore, for every state of its workflow. */
import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { decideReaping, type Execution, type JobWorkflow, reapRunningJobs } from '../../../../shared/job/index.ts';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import { restoreJobs } from '../../../../shared/restore/end/restore-jobs.ts';
import type { RestoreRecord, RunningRestore } from '../../../../shared/restore/model/record.ts';
import { restoreDeps } from '../../../../shared/restore/restore-deps.ts';
import {
  allObjects,
  allWorkItems,
  createRestoreEndEnv,
  dayMs,
  foreignObjects,
  type RestoreAtStage,
  type Stage,
} from '../../../harness/env/restore/restore-end-env.ts';
import type { RestoreInput } from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreEndEnv();

const minutes = (count: number): string => new Date(Date.parse('2026-03-01T12:00:00.000Z') + count * 60_000).toISOString();
const now = new Date(minutes(0));
const itemAt = (since: string, more: object = {}) => ({ since, attempt: 1, ...more }) as unknown as RunningRestore;

describe('reaper decision: a restore', () => {
  const jobs = restoreJobs(restoreDeps, {} as JobWorkflow);
  const record = (more: Partial<RestoreRecord>) => ({ attempt: 1, completedAt: null, ...more }) as RestoreRecord;
  const [pending, running] = [record({ status: 'pending' }), record({ status: 'running' })];
  const failure = { code: 'CHUNK_CORRUPT', message: 'damaged' } as const;
  const ended = (status: 'failed' | 'cancelled' | 'completed', completedAt: string) => record({ status, completedAt });
  const resumed = record({ status: 'running', attempt: 2 });
  const cases = [
    ['that runs with its workflow', running, itemAt(minutes(-10)), 'running', 'leave'],
    ['that runs for days with its workflow', running, itemAt(minutes(-9_999)), 'running', 'leave'],
    ['that runs without its workflow', running, itemAt(minutes(-10)), 'ended', 'INTERNAL_ERROR'],
    [
      'whose workflow ended after a step reported its failure',
      { ...running, failure },
      itemAt(minutes(-10)),
      'ended',
      'CHUNK_CORRUPT',
    ],
    ['that was resumed since the item was read', resumed, itemAt(minutes(-10)), 'ended', 'leave'],
    ['that is about to start', pending, itemAt(minutes(-4)), 'unknown', 'leave'],
    ['that did not start in time', pending, itemAt(minutes(-5)), 'unknown', 'start'],
    [
      'that was restarted just now',
      pending,
      itemAt(minutes(-9), { restartedAt: minutes(-4) }),
      ...(['unknown', 'leave'] as const),
    ],
    [
      'that did not start after a restart',
      pending,
      itemAt(minutes(-10), { restartedAt: minutes(-5) }),
      ...(['unknown', 'INTERNAL_ERROR'] as const),
    ],
    ['whose workflow ended before it began', pending, itemAt(minutes(-1)), 'ended', 'INTERNAL_ERROR'],
    [
      'that was cancelled and whose workflow is stopping',
      ended('cancelled', minutes(-1)),
      itemAt(minutes(-9)),
      'running',
      'leave',
    ],
    ['that was cancelled before it began', ended('cancelled', minutes(-1)), itemAt(minutes(-1)), 'unknown', 'clean'],
    ['that failed and was not cleaned up', ended('failed', minutes(-5)), itemAt(minutes(-9)), 'ended', 'clean'],
    ['that completed and was not cleaned up', ended('completed', minutes(-5)), itemAt(minutes(-9)), 'ended', 'clean'],
    [
      'that was cancelled half an hour ago and still runs',
      ended('cancelled', minutes(-31)),
      itemAt(minutes(-99)),
      'running',
      'clean',
    ],
    [
      'that ended and could not be cleaned up for a day',
      ended('failed', minutes(-1_441)),
      itemAt(minutes(-1_500)),
      'ended',
      'give-up',
    ],
    [
      'that can no longer be resumed',
      ended('failed', minutes(-10_141)),
      itemAt(minutes(-10_200), { dueAt: minutes(-1) }),
      ...(['ended', 'clean'] as const),
    ],
    [
      'that expired and could not be cleaned up for a day',
      ended('failed', minutes(-11_700)),
      itemAt(minutes(-11_800), { dueAt: minutes(-1_441) }),
      ...(['ended', 'give-up'] as const),
    ],
    ['without a record', undefined, itemAt(minutes(-1)), 'ended', 'clean'],
  ] as const;
  for (const [what, restore, note, execution, expected] of cases)
    test(`${what}: ${expected}`, () => {
      const verdict = decideReaping(jobs, { job: restore, item: note, execution, now });
      equal(typeof verdict === 'string' ? verdict : verdict.code, expected);
    });
});

interface Reaping extends RestoreAtStage {
  readonly calls: unknown[];
  reap(execution: Execution | (() => Execution)): Promise<void>;
}

const startReaping = async (stage: Stage, ask: RestoreInput = {}): Promise<Reaping> => {
  const setup = await t.startAt(stage, ask);
  const calls: unknown[] = [];
  const reap: Reaping['reap'] = async (execution) => {
    const workflow: JobWorkflow = {
      describe: async (name) => {
        calls.push(`look ${name.slice(-2)}`);
        return typeof execution === 'string' ? execution : execution();
      },
      start: async (name, input) => void calls.push(['start', name, input]),
      stop: async (name) => void calls.push(['stop', name, t.lockOf(t.targetId)?.jobId]),
    };
    await reapRunningJobs(restoreJobs(t.deps, workflow), ({ organizationId }) => unsafeTenant(organizationId, 'record'));
  };
  return { ...setup, calls, reap };
};
const pass = (ms: number): void => {
  const nowMs = t.nowMs();
  t.nowMs = () => nowMs + ms;
};

for (const stage of ['pending', 'checking', 'sealed'] as const)
  test(`reaper: a restore whose workflow died while ${stage} fails once, and its target is released`, async () => {
    for (const when of ['before', 'after'] as const)
      for (let at = 1; ; at++) {
        const setup = await startReaping(stage);
        const machine = new CrashingMachine(at, when).attach(t);
        await setup.reap('ended').catch(() => undefined);
        new CrashingMachine().attach(t);
        await setup.reap('ended');
        await setup.reap('ended');
        const { status, error } = t.restoreOf(setup.id);
        deepEqual([status, error?.code], ['failed', 'INTERNAL_ERROR'], `${at} ${when}`);
        deepEqual(t.events('restore.failed').length, 1);
        t.assertReleased(setup);
        deepEqual(
          t.objectsOf(t.restoreOf(setup.id)),
          stage === 'pending' ? [] : stage === 'checking' ? foreignObjects : allObjects,
        );
        if (!machine.isDead) break;
      }
  });

test('reaper: a resumable restore costs nothing until it expires; then its work items are deleted', async () => {
  const setup = await startReaping('sealed');
  await setup.reap('ended');
  setup.calls.length = 0;
  pass(6.9 * dayMs);
  await setup.reap('ended');
  deepEqual([setup.calls, t.workItemsOf(setup.id)], [[], allWorkItems]);
  pass(0.2 * dayMs);
  await setup.reap('ended');
  deepEqual([t.workItemsOf(setup.id), t.runningItemOf(setup.id)], [[], undefined]);
  deepEqual(t.objectsOf(t.restoreOf(setup.id)), allObjects);
});

test('reaper: a workflow that was never started is started once under the same name, then the restore fails', async () => {
  const setup = await startReaping('pending');
  await setup.reap('unknown');
  pass(301_000);
  await setup.reap('unknown');
  await setup.reap('unknown');
  const starts = setup.calls.filter((call) => Array.isArray(call));
  const input = { organizationId: t.tenant.organizationId, restoreJobId: setup.id, attempt: 1 };
  deepEqual([starts, t.restoreOf(setup.id).status], [[['start', `${setup.id}-1`, input]], 'pending']);
  pass(301_000);
  await setup.reap('unknown');
  deepEqual(
    [t.restoreOf(setup.id).status, t.restoreOf(setup.id).error?.message],
    ['failed', 'The service could not start the restore'],
  );
  t.assertReleased(setup);
});

describe('reaper: a cancelled restore', () => {
  test('keeps its target while its workflow stops, and releases it afterwards', async () => {
    const setup = await startReaping('sealed');
    await t.endRestore(setup.id, 'cancelled');
    await setup.reap('running');
    equal(t.lockOf(t.targetId)?.jobId, setup.id);
    await setup.reap('ended');
    t.assertReleased(setup);
    deepEqual([t.restoreOf(setup.id).status, t.events('restore.failed')], ['cancelled', []]);
  });

  test('whose workflow does not stop is stopped after half an hour, before its target is released', async () => {
    const setup = await startReaping('sealed');
    await t.endRestore(setup.id, 'cancelled');
    pass(31 * 60_000);
    await setup.reap('running');
    deepEqual(
      setup.calls.filter((call) => Array.isArray(call)),
      [['stop', `${setup.id}-1`, setup.id]],
    );
    t.assertReleased(setup);
  });
});

test('reaper: a restore that is resumed while the reaper examines its last execution continues', async () => {
  const setup = await startReaping('sealed');
  await t.endRestore(setup.id, 'cancelled');
  await setup.reap('ended');
  pass(8 * dayMs);
  await setup.reap(() => {
    t.resumeNow(setup.id);
    return 'ended';
  });
  deepEqual(
    [t.restoreOf(setup.id).status, t.runningItemOf(setup.id)?.attempt, t.workItemsOf(setup.id)],
    ['pending', 2, allWorkItems],
  );
  equal(t.lockOf(t.targetId)?.jobId, setup.id);
});

test('reaper: a destination that does not answer keeps no target locked, and is given up after a day', async () => {
  const setup = await startReaping('checking', { dryRun: true });
  t.wrapStore = () => {
    throw new StorageError('unavailable', 'The bucket does not answer.');
  };
  for (let tries = 0; tries < 3; tries++) await setup.reap('ended').catch(() => undefined);
  t.assertReleased(setup);
  deepEqual([t.restoreOf(setup.id).status, t.runningItemOf(setup.id) === undefined], ['failed', false]);
  pass(dayMs);
  await setup.reap('ended');
  deepEqual([t.table.find('RUNNING#'), t.workItemsOf(setup.id)], [[], []]);
});

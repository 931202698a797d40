/** What the reaper does with a restore, for every way in which its workflow can be gone. */
import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import {
  listRunningRestores,
  type RestoreWorkflow,
  reapRestore,
  reapVerdict,
} from '../../../../shared/restore/end/reap-restore.ts';
import type { RestoreRecord, RunningRestore } from '../../../../shared/restore/model/record.ts';
import {
  all,
  allWorkItems,
  assertReleased,
  createRestoreAt,
  dayMs,
  endRestore,
  foreign,
  lockOf,
  objectsOf,
  type RestoreAtStage,
  resumeNow,
  runningItemOf,
  type Stage,
  workItemsOf,
} from '../../../harness/env/restore-end-env.ts';
import { eventsOf, type RestoreInput, restoreOf, server, table, targetId, tenant } from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

afterAll(() => server.stop());

const minutes = (count: number): string => new Date(Date.parse('2026-03-01T12:00:00.000Z') + count * 60_000).toISOString();
const now = new Date(minutes(0));
const noteAt = (since: string, more: object = {}) => ({ since, attempt: 1, ...more }) as unknown as RunningRestore;

describe('a restore', () => {
  const record = (more: Partial<RestoreRecord>) => ({ attempt: 1, completedAt: null, ...more }) as RestoreRecord;
  const [pending, running] = [record({ status: 'pending' }), record({ status: 'running' })];
  const failure = { code: 'CHUNK_CORRUPT', message: 'damaged' } as const;
  const ended = (status: 'failed' | 'cancelled' | 'completed', completedAt: string) => record({ status, completedAt });
  const resumed = record({ status: 'running', attempt: 2 });
  const cases = [
    ['that runs, as its workflow does', running, noteAt(minutes(-10)), 'running', 'leave'],
    ['that runs for days, as its workflow does', running, noteAt(minutes(-9_999)), 'running', 'leave'],
    ['that runs without its workflow', running, noteAt(minutes(-10)), 'ended', 'INTERNAL_ERROR'],
    ['whose workflow ended after a step had told why', { ...running, failure }, noteAt(minutes(-10)), 'ended', 'CHUNK_CORRUPT'],
    ['that was resumed since the note was read', resumed, noteAt(minutes(-10)), 'ended', 'leave'],
    ['that waits to begin', pending, noteAt(minutes(-4)), 'unknown', 'leave'],
    ['that waits too long', pending, noteAt(minutes(-5)), 'unknown', 'start'],
    [
      'that was started again just now',
      pending,
      noteAt(minutes(-9), { restartedAt: minutes(-4) }),
      ...(['unknown', 'leave'] as const),
    ],
    [
      'that could not be started twice',
      pending,
      noteAt(minutes(-10), { restartedAt: minutes(-5) }),
      ...(['unknown', 'INTERNAL_ERROR'] as const),
    ],
    ['whose workflow ended before it began', pending, noteAt(minutes(-1)), 'ended', 'INTERNAL_ERROR'],
    ['that was cancelled, and its workflow stops', ended('cancelled', minutes(-1)), noteAt(minutes(-9)), 'running', 'leave'],
    ['that was cancelled before it began', ended('cancelled', minutes(-1)), noteAt(minutes(-1)), 'unknown', 'clean'],
    ['that failed, and nobody cleans up', ended('failed', minutes(-5)), noteAt(minutes(-9)), 'ended', 'clean'],
    ['that was completed, and nobody cleans up', ended('completed', minutes(-5)), noteAt(minutes(-9)), 'ended', 'clean'],
    [
      'that was cancelled half an hour ago and still runs',
      ended('cancelled', minutes(-31)),
      noteAt(minutes(-99)),
      'running',
      'clean',
    ],
    ['that nobody could clean up after for a day', ended('failed', minutes(-1_441)), noteAt(minutes(-1_500)), 'ended', 'give-up'],
    [
      'that can no longer be resumed',
      ended('failed', minutes(-10_141)),
      noteAt(minutes(-10_200), { dueAt: minutes(-1) }),
      ...(['ended', 'clean'] as const),
    ],
    [
      'that nobody could forget for a day',
      ended('failed', minutes(-11_700)),
      noteAt(minutes(-11_800), { dueAt: minutes(-1_441) }),
      ...(['ended', 'give-up'] as const),
    ],
    ['of which there is no record', undefined, noteAt(minutes(-1)), 'ended', 'clean'],
  ] as const;
  for (const [what, restore, note, execution, expected] of cases)
    test(`${what}: ${expected}`, () => {
      const verdict = reapVerdict(restore, note, execution, now);
      equal(typeof verdict === 'string' ? verdict : verdict.code, expected);
    });
});

type Execution = Awaited<ReturnType<RestoreWorkflow['describe']>>;

interface Reaping extends RestoreAtStage {
  readonly calls: unknown[];
  reap(execution: Execution | (() => Execution)): Promise<void>;
}

const reapingOf = async (stage: Stage, ask: RestoreInput = {}): Promise<Reaping> => {
  const scene = await createRestoreAt(stage, ask);
  const calls: unknown[] = [];
  const reap: Reaping['reap'] = async (execution) => {
    const workflow: RestoreWorkflow = {
      describe: async (name) => {
        calls.push(`look ${name.slice(-2)}`);
        return typeof execution === 'string' ? execution : execution();
      },
      start: async (name, input) => void calls.push(['start', name, input]),
      stop: async (name) => void calls.push(['stop', name, lockOf(targetId)?.jobId]),
    };
    for await (const note of listRunningRestores())
      await reapRestore(unsafeTenant(note.organizationId, 'record'), note, scene.world.engine, workflow);
  };
  return { ...scene, calls, reap };
};
const passing = (scene: RestoreAtStage, ms: number): void => {
  const nowMs = scene.world.nowMs();
  scene.world.nowMs = () => nowMs + ms;
};

for (const stage of ['pending', 'checking', 'sealed'] as const)
  test(`one whose workflow died while it was ${stage} is failed once, and its target is free`, async () => {
    for (const when of ['before', 'after'] as const)
      for (let at = 1; ; at++) {
        const scene = await reapingOf(stage);
        const machine = new CrashingMachine(at, when).attach(scene.world);
        await scene.reap('ended').catch(() => undefined);
        new CrashingMachine().attach(scene.world);
        await scene.reap('ended');
        await scene.reap('ended');
        const { status, error } = restoreOf(scene.id);
        deepEqual([status, error?.code], ['failed', 'INTERNAL_ERROR'], `${at} ${when}`);
        deepEqual(eventsOf('restore.failed').length, 1);
        assertReleased(scene);
        deepEqual(objectsOf(scene, restoreOf(scene.id)), stage === 'pending' ? [] : stage === 'checking' ? foreign : all);
        if (!machine.isDead) break;
      }
  });

test('one that can be resumed costs nothing until it no longer can; then its notes go', async () => {
  const scene = await reapingOf('sealed');
  await scene.reap('ended');
  scene.calls.length = 0;
  passing(scene, 6.9 * dayMs);
  await scene.reap('ended');
  deepEqual([scene.calls, workItemsOf(scene.id)], [[], allWorkItems]);
  passing(scene, 0.2 * dayMs);
  await scene.reap('ended');
  deepEqual([workItemsOf(scene.id), runningItemOf(scene.id)], [[], undefined]);
  deepEqual(objectsOf(scene, restoreOf(scene.id)), all);
});

test('one whose workflow was never started is started once more under the same name, then given up', async () => {
  const scene = await reapingOf('pending');
  await scene.reap('unknown');
  passing(scene, 301_000);
  await scene.reap('unknown');
  await scene.reap('unknown');
  const starts = scene.calls.filter((call) => Array.isArray(call));
  const input = { organizationId: tenant.organizationId, restoreJobId: scene.id, attempt: 1 };
  deepEqual([starts, restoreOf(scene.id).status], [[['start', `${scene.id}-1`, input]], 'pending']);
  passing(scene, 301_000);
  await scene.reap('unknown');
  deepEqual(
    [restoreOf(scene.id).status, restoreOf(scene.id).error?.message],
    ['failed', 'The service could not start the restore'],
  );
  assertReleased(scene);
});

describe('one that was cancelled', () => {
  test('keeps its target while its workflow stops, and is freed when it has', async () => {
    const scene = await reapingOf('sealed');
    await endRestore(scene, 'cancelled');
    await scene.reap('running');
    equal(lockOf(targetId)?.jobId, scene.id);
    await scene.reap('ended');
    assertReleased(scene);
    deepEqual([restoreOf(scene.id).status, eventsOf('restore.failed')], ['cancelled', []]);
  });

  test('and does not stop is stopped after half an hour, before its target is freed', async () => {
    const scene = await reapingOf('sealed');
    await endRestore(scene, 'cancelled');
    passing(scene, 31 * 60_000);
    await scene.reap('running');
    deepEqual(
      scene.calls.filter((call) => Array.isArray(call)),
      [['stop', `${scene.id}-1`, scene.id]],
    );
    assertReleased(scene);
  });
});

test('one that is resumed while the reaper looks at its last execution goes on', async () => {
  const scene = await reapingOf('sealed');
  await endRestore(scene, 'cancelled');
  await scene.reap('ended');
  passing(scene, 8 * dayMs);
  await scene.reap(() => {
    resumeNow(scene.id);
    return 'ended';
  });
  deepEqual([restoreOf(scene.id).status, runningItemOf(scene.id)?.attempt, workItemsOf(scene.id)], ['pending', 2, allWorkItems]);
  equal(lockOf(targetId)?.jobId, scene.id);
});

test('a destination that stays away keeps no target locked, and is given up after a day', async () => {
  const scene = await reapingOf('checking', { dryRun: true });
  scene.world.throughReading = () => {
    throw new StorageError('unavailable', 'The bucket does not answer.');
  };
  for (let tries = 0; tries < 3; tries++) await scene.reap('ended').catch(() => undefined);
  assertReleased(scene);
  deepEqual([restoreOf(scene.id).status, runningItemOf(scene.id) === undefined], ['failed', false]);
  passing(scene, dayMs);
  await scene.reap('ended');
  deepEqual([table.find('RUNNING#'), workItemsOf(scene.id)], [[], []]);
});

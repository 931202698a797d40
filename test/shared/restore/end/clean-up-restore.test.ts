/** After the end of a restore, only what an undo or a resume needs is kept. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { commit, set } from '../../../../shared/platform/index.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { failRestore } from '../../../../shared/restore/end/fail-restore.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
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
import { bound } from '../../../harness/faults/faulty-store.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreEndEnv();

const clean = ({ id }: RestoreAtStage, isGivenUp = false): Promise<void> =>
  cleanUpRestore(t.tenant, { restoreJobId: id, deps: t.deps, options: { isGivenUp } });
const finish = async (setup: RestoreAtStage, status: 'failed' | 'cancelled' | 'completed'): Promise<void> => {
  if (status !== 'failed') return t.endRestore(setup.id, status);
  const reason = { code: 'INTERNAL_ERROR', message: 'x' } as const;
  await failRestore({
    tenant: t.tenant,
    restoreJobId: setup.id,
    attempt: t.restoreOf(setup.id).attempt,
    reasonOf: () => reason,
    now: t.clock.now(),
  });
};
const daysLater = (days: number): void => {
  const startMs = Date.now();
  t.nowMs = () => startMs + days * dayMs;
};
/** Objects of the journal, work items, and whether the running item exists. */
const remainsOf = (setup: RestoreAtStage) => {
  const [objects, workItems] = [t.objectsOf(t.restoreOf(setup.id)), t.workItemsOf(setup.id)];
  return { objects, workItems, isListed: t.runningItemOf(setup.id) !== undefined };
};
const nothing = { objects: foreignObjects, workItems: [], isListed: false };

interface Case {
  readonly what: string;
  readonly stage: Stage;
  readonly status: 'failed' | 'cancelled' | 'completed';
  readonly input?: RestoreInput;
  /** While it can be resumed, and afterwards. */
  readonly first: object;
  readonly last: object;
}

const kept = { objects: allObjects, workItems: allWorkItems, isListed: true };
const cases: readonly Case[] = [
  ...(['failed', 'cancelled'] as const).flatMap((status): readonly Case[] => [
    {
      what: `${status} before sealing: its journal is deleted at once, the rest when it can no longer be resumed`,
      stage: 'checking',
      status,
      first: { ...kept, objects: foreignObjects },
      last: nothing,
    },
    {
      what: `${status} with a safety backup: the safety backup stays`,
      stage: 'sealed',
      status,
      first: kept,
      last: { objects: allObjects, workItems: [], isListed: false },
    },
    {
      what: `${status} without a safety backup: its journal stays as long as it can be resumed`,
      stage: 'sealed',
      status,
      input: { safetyBackup: false },
      first: kept,
      last: nothing,
    },
    {
      what: `${status} as a dry run: everything is deleted at once`,
      stage: 'checking',
      status,
      input: { dryRun: true },
      first: nothing,
      last: nothing,
    },
  ]),
  {
    what: 'completed with a safety backup: the safety backup stays, everything else is deleted at once',
    stage: 'sealed',
    status: 'completed',
    first: { objects: allObjects, workItems: [], isListed: false },
    last: { objects: allObjects, workItems: [], isListed: false },
  },
  {
    what: 'completed without a safety backup: everything is deleted at once',
    stage: 'sealed',
    status: 'completed',
    input: { safetyBackup: false },
    first: nothing,
    last: nothing,
  },
];

describe('clean-up: a restore that', () => {
  for (const { what, stage, status, input, first, last } of cases)
    test(what, async () => {
      const setup = await t.startAt(stage, input);
      await finish(setup, status);
      await clean(setup);
      deepEqual(remainsOf(setup), first);
      t.assertReleased(setup);
      daysLater(6.9);
      await clean(setup);
      deepEqual(remainsOf(setup), first);
      daysLater(7.1);
      await clean(setup);
      deepEqual(remainsOf(setup), last);
    });

  for (const { what, stage, status, input, first, last } of cases)
    test(`${what} – however often the clean-up crashes`, async () => {
      for (const when of ['before', 'after'] as const)
        for (let at = 1; ; at++) {
          const setup = await t.startAt(stage, input);
          await finish(setup, status);
          const machine = new CrashingMachine(at, when).attach(t);
          await clean(setup).catch(() => undefined);
          new CrashingMachine().attach(t);
          // After a crash the running item remains, so the reaper cleans up again.
          if (machine.isDead) ok(t.runningItemOf(setup.id) ?? (when === 'after' && t.workItemsOf(setup.id).length === 0));
          await clean(setup);
          deepEqual(remainsOf(setup), first, `${at} ${when}`);
          t.assertReleased(setup);
          daysLater(8);
          await clean(setup);
          deepEqual(remainsOf(setup), last, `${at} ${when}`);
          if (!machine.isDead) break;
        }
    });
});

test('clean-up: an active restore is left alone', async () => {
  for (const stage of ['pending', 'checking', 'sealed'] as const) {
    const setup = await t.startAt(stage);
    const before = [...t.table.items];
    await clean(setup);
    deepEqual([...t.table.items], before);
  }
});

describe('clean-up: a cancelled restore', () => {
  test('releases its target once, by the first clean-up', async () => {
    const setup = await t.startAt('sealed');
    await t.endRestore(setup.id, 'cancelled');
    equal(t.lockOf(t.targetId)?.jobId, setup.id);
    await Promise.allSettled([clean(setup), clean(setup), clean(setup)]);
    await clean(setup);
    t.assertReleased(setup);
  });

  test('does not release the target of another job', async () => {
    const setup = await t.startAt('sealed');
    await t.endRestore(setup.id, 'cancelled');
    await clean(setup);
    t.table.put({
      pk: `ORG#${t.tenant.organizationId}`,
      sk: `JOB#${t.targetId}`,
      jobId: 'another',
      kind: 'backup',
      since: 'now',
    });
    await clean(setup);
    equal(t.lockOf(t.targetId)?.jobId, 'another');
    equal(t.backupOf(setup.backupId).restoring, 0);
  });
});

describe('clean-up: a restore that is resumed meanwhile', () => {
  for (const stage of ['checking', 'sealed'] as const)
    for (const status of ['failed', 'cancelled'] as const)
      test(`${status} while ${stage}: the next attempt loses nothing, and its end deletes the rest`, async () => {
        for (let at = 0; ; at++) {
          const setup = await t.startAt(stage);
          await finish(setup, status);
          // A resume requires that the target is released.
          if (status === 'cancelled') await clean(setup);
          daysLater(0.1);
          const first = t.restoreOf(setup.id);
          let seen = 0;
          const resumeOnce = (): undefined => {
            if (seen++ === at) t.resumeNow(setup.id);
          };
          t.table.onRead = resumeOnce;
          t.table.onWrite = (when) => (when === 'before' ? resumeOnce() : undefined);
          await clean(setup);
          t.table.onRead = () => undefined;
          t.table.onWrite = () => undefined;
          if (seen <= at) break;
          deepEqual(
            [t.restoreOf(setup.id).attempt, t.runningItemOf(setup.id)?.attempt, t.runningItemOf(setup.id)?.dueAt],
            [2, 2, undefined],
            `${at}`,
          );
          deepEqual([t.lockOf(t.targetId)?.jobId, t.backupOf(setup.backupId).restoring], [setup.id, 1]);
          deepEqual(t.workItemsOf(setup.id), allWorkItems);
          equal(t.restoreOf(setup.id).givenUp?.length, stage === 'checking' ? 1 : undefined);
          await finish(setup, 'failed');
          await clean(setup);
          deepEqual(t.objectsOf(first), stage === 'checking' ? foreignObjects : allObjects);
          equal(t.restoreOf(setup.id).givenUp, undefined);
        }
      });
});

describe('clean-up: a destination', () => {
  const isAway = (): void => {
    t.wrapStore = () => {
      throw new StorageError('unavailable', 'The bucket does not answer.');
    };
  };

  test('that does not answer is retried, and the target is released meanwhile', async () => {
    const setup = await t.startAt('checking');
    await t.endRestore(setup.id, 'cancelled');
    const { wrapStore } = t;
    isAway();
    await rejects(clean(setup), { name: 'StorageError' });
    t.assertReleased(setup);
    equal(t.runningItemOf(setup.id)?.dueAt, undefined);
    t.wrapStore = wrapStore;
    await clean(setup);
    deepEqual(remainsOf(setup), { objects: foreignObjects, workItems: allWorkItems, isListed: true });
  });

  test('that is given up keeps the objects; everything else is cleaned up', async () => {
    const setup = await t.startAt('checking', { dryRun: true });
    await t.endRestore(setup.id, 'cancelled');
    isAway();
    await clean(setup, true);
    deepEqual([t.workItemsOf(setup.id), t.runningItemOf(setup.id)], [[], undefined]);
  });
});

test('clean-up: the work items of an undone restore are deleted at once, because it cannot be resumed', async () => {
  const setup = await t.startAt('sealed');
  await finish(setup, 'failed');
  await commit([set(restoreKey.restore(t.tenant, setup.id), { undoneBy: 'rst_another' })]);
  await clean(setup);
  deepEqual(remainsOf(setup), { objects: allObjects, workItems: [], isListed: false });
});

test('clean-up: nothing remains of a restore whose organization was purged', async () => {
  const setup = await t.startAt('checking');
  await commit([{ remove: restoreKey.restore(t.tenant, setup.id) }]);
  await clean(setup);
  deepEqual([t.workItemsOf(setup.id), t.runningItemOf(setup.id)], [[], undefined]);
});

// MinIO lists an upload only by the exact name of its object.
test('clean-up: uploads of the journal that a crashed worker left are looked for by name', async () => {
  const setup = await t.startAt('checking');
  await finish(setup, 'failed');
  const asked = new Set<string>();
  const openStore: typeof t.deps.openStore = async (...all) => {
    const store = await t.deps.openStore(...all);
    const abortUnfinishedUploads = async (prefix: string): Promise<number> => {
      asked.add(prefix);
      return store.abortUnfinishedUploads(prefix);
    };
    return { ...bound(store), abortUnfinishedUploads };
  };
  await cleanUpRestore(t.tenant, { restoreJobId: setup.id, deps: { ...t.deps, openStore }, options: {} });
  // The part of that number is stored, but in the journal of an earlier attempt.
  deepEqual([...asked].sort(), [
    '',
    'chunk/00000000-0000',
    'chunk/50000000-0000',
    'filter/00000000-0000',
    'filter/50000000-0000',
    'index/00000000-0000',
  ]);
});

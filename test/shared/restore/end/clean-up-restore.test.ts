/** After the end of a restore, only what an undo or a resume needs is kept. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { commit, set } from '../../../../shared/platform/index.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { failRestore } from '../../../../shared/restore/end/fail-restore.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
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
} from '../../../harness/env/restore/restore-end-env.ts';
import { backupOf, type RestoreInput, restoreOf, server, table, targetId, tenant } from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

afterAll(() => server.stop());

const clean = ({ world, id }: RestoreAtStage, isGivenUp = false): Promise<void> =>
  cleanUpRestore(tenant, id, world.engine, { isGivenUp });
const finish = async (setup: RestoreAtStage, status: 'failed' | 'cancelled' | 'completed'): Promise<void> => {
  if (status !== 'failed') return endRestore(setup, status);
  const reason = { code: 'INTERNAL_ERROR', message: 'x' } as const;
  await failRestore({
    tenant,
    restoreJobId: setup.id,
    attempt: restoreOf(setup.id).attempt,
    reasonOf: () => reason,
    now: setup.world.engine.clock.now(),
  });
};
const daysLater = (setup: RestoreAtStage, days: number): void => {
  const startMs = Date.now();
  setup.world.nowMs = () => startMs + days * dayMs;
};
/** Objects of the journal, work items, and whether the running item exists. */
const remainsOf = (setup: RestoreAtStage) => {
  const [objects, workItems] = [objectsOf(setup, restoreOf(setup.id)), workItemsOf(setup.id)];
  return { objects, workItems, isListed: runningItemOf(setup.id) !== undefined };
};
const nothing = { objects: foreign, workItems: [], isListed: false };

interface Case {
  readonly what: string;
  readonly stage: Stage;
  readonly status: 'failed' | 'cancelled' | 'completed';
  readonly input?: RestoreInput;
  /** While it can be resumed, and afterwards. */
  readonly first: object;
  readonly last: object;
}

const kept = { objects: all, workItems: allWorkItems, isListed: true };
const cases: readonly Case[] = [
  ...(['failed', 'cancelled'] as const).flatMap((status): readonly Case[] => [
    {
      what: `${status} before sealing: its journal is deleted at once, the rest when it can no longer be resumed`,
      stage: 'checking',
      status,
      first: { ...kept, objects: foreign },
      last: nothing,
    },
    {
      what: `${status} with a safety backup: the safety backup stays`,
      stage: 'sealed',
      status,
      first: kept,
      last: { objects: all, workItems: [], isListed: false },
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
    first: { objects: all, workItems: [], isListed: false },
    last: { objects: all, workItems: [], isListed: false },
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
      const setup = await createRestoreAt(stage, input);
      await finish(setup, status);
      await clean(setup);
      deepEqual(remainsOf(setup), first);
      assertReleased(setup);
      daysLater(setup, 6.9);
      await clean(setup);
      deepEqual(remainsOf(setup), first);
      daysLater(setup, 7.1);
      await clean(setup);
      deepEqual(remainsOf(setup), last);
    });

  for (const { what, stage, status, input, first, last } of cases)
    test(`${what} – however often the clean-up crashes`, async () => {
      for (const when of ['before', 'after'] as const)
        for (let at = 1; ; at++) {
          const setup = await createRestoreAt(stage, input);
          await finish(setup, status);
          const machine = new CrashingMachine(at, when).attach(setup.world);
          await clean(setup).catch(() => undefined);
          new CrashingMachine().attach(setup.world);
          // After a crash the running item remains, so the reaper cleans up again.
          if (machine.isDead) ok(runningItemOf(setup.id) ?? (when === 'after' && workItemsOf(setup.id).length === 0));
          await clean(setup);
          deepEqual(remainsOf(setup), first, `${at} ${when}`);
          assertReleased(setup);
          daysLater(setup, 8);
          await clean(setup);
          deepEqual(remainsOf(setup), last, `${at} ${when}`);
          if (!machine.isDead) break;
        }
    });
});

test('clean-up: an active restore is left alone', async () => {
  for (const stage of ['pending', 'checking', 'sealed'] as const) {
    const setup = await createRestoreAt(stage);
    const before = [...table.items];
    await clean(setup);
    deepEqual([...table.items], before);
  }
});

describe('clean-up: a cancelled restore', () => {
  test('releases its target once, by the first clean-up', async () => {
    const setup = await createRestoreAt('sealed');
    await endRestore(setup, 'cancelled');
    equal(lockOf(targetId)?.jobId, setup.id);
    await Promise.allSettled([clean(setup), clean(setup), clean(setup)]);
    await clean(setup);
    assertReleased(setup);
  });

  test('does not release the target of another job', async () => {
    const setup = await createRestoreAt('sealed');
    await endRestore(setup, 'cancelled');
    await clean(setup);
    table.put({ pk: `ORG#${tenant.organizationId}`, sk: `JOB#${targetId}`, jobId: 'another', kind: 'backup', since: 'now' });
    await clean(setup);
    equal(lockOf(targetId)?.jobId, 'another');
    equal(backupOf(setup.backupId).restoring, 0);
  });
});

describe('clean-up: a restore that is resumed meanwhile', () => {
  for (const stage of ['checking', 'sealed'] as const)
    for (const status of ['failed', 'cancelled'] as const)
      test(`${status} while ${stage}: the next attempt loses nothing, and its end deletes the rest`, async () => {
        for (let at = 0; ; at++) {
          const setup = await createRestoreAt(stage);
          await finish(setup, status);
          // A resume requires that the target is released.
          if (status === 'cancelled') await clean(setup);
          daysLater(setup, 0.1);
          const first = restoreOf(setup.id);
          let seen = 0;
          const resumeOnce = (): undefined => {
            if (seen++ === at) resumeNow(setup.id);
          };
          table.onRead = resumeOnce;
          table.onWrite = (when) => (when === 'before' ? resumeOnce() : undefined);
          await clean(setup);
          table.onRead = () => undefined;
          table.onWrite = () => undefined;
          if (seen <= at) break;
          deepEqual(
            [restoreOf(setup.id).attempt, runningItemOf(setup.id)?.attempt, runningItemOf(setup.id)?.dueAt],
            [2, 2, undefined],
            `${at}`,
          );
          deepEqual([lockOf(targetId)?.jobId, backupOf(setup.backupId).restoring], [setup.id, 1]);
          deepEqual(workItemsOf(setup.id), allWorkItems);
          equal(restoreOf(setup.id).givenUp?.length, stage === 'checking' ? 1 : undefined);
          await finish(setup, 'failed');
          await clean(setup);
          deepEqual(objectsOf(setup, first), stage === 'checking' ? foreign : all);
          equal(restoreOf(setup.id).givenUp, undefined);
        }
      });
});

describe('clean-up: a destination', () => {
  const isAway = (setup: RestoreAtStage): void => {
    setup.world.throughReading = () => {
      throw new StorageError('unavailable', 'The bucket does not answer.');
    };
  };

  test('that does not answer is retried, and the target is released meanwhile', async () => {
    const setup = await createRestoreAt('checking');
    await endRestore(setup, 'cancelled');
    const { throughReading } = setup.world;
    isAway(setup);
    await rejects(clean(setup), { name: 'StorageError' });
    assertReleased(setup);
    equal(runningItemOf(setup.id)?.dueAt, undefined);
    setup.world.throughReading = throughReading;
    await clean(setup);
    deepEqual(remainsOf(setup), { objects: foreign, workItems: allWorkItems, isListed: true });
  });

  test('that is given up keeps the objects; everything else is cleaned up', async () => {
    const setup = await createRestoreAt('checking', { dryRun: true });
    await endRestore(setup, 'cancelled');
    isAway(setup);
    await clean(setup, true);
    deepEqual([workItemsOf(setup.id), runningItemOf(setup.id)], [[], undefined]);
  });
});

test('clean-up: the work items of an undone restore are deleted at once, because it cannot be resumed', async () => {
  const setup = await createRestoreAt('sealed');
  await finish(setup, 'failed');
  await commit([set(restoreKey.restore(tenant, setup.id), { undoneBy: 'rst_another' })]);
  await clean(setup);
  deepEqual(remainsOf(setup), { objects: all, workItems: [], isListed: false });
});

test('clean-up: nothing remains of a restore whose organization was purged', async () => {
  const setup = await createRestoreAt('checking');
  await commit([{ remove: restoreKey.restore(tenant, setup.id) }]);
  await clean(setup);
  deepEqual([workItemsOf(setup.id), runningItemOf(setup.id)], [[], undefined]);
});

/** After a restore has ended nothing stays that neither an undo nor a resume needs; what they need stays. */
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
} from '../../../harness/env/restore-end-env.ts';
import { backupOf, type RestoreInput, restoreOf, server, table, targetId, tenant } from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

afterAll(() => server.stop());

const clean = ({ world, id }: RestoreAtStage, isGivenUp = false): Promise<void> =>
  cleanUpRestore(tenant, id, world.engine, { isGivenUp });
const finish = async (scene: RestoreAtStage, status: 'failed' | 'cancelled' | 'completed'): Promise<void> => {
  if (status !== 'failed') return endRestore(scene, status);
  const reason = { code: 'INTERNAL_ERROR', message: 'x' } as const;
  await failRestore({ tenant, restoreJobId: scene.id, attempt: 1, reasonOf: () => reason, now: scene.world.engine.clock.now() });
};
const daysLater = (scene: RestoreAtStage, days: number): void => {
  const startMs = Date.now();
  scene.world.nowMs = () => startMs + days * dayMs;
};
/** Objects of the journal, working notes, and whether the reaper still looks. */
const leftOf = (scene: RestoreAtStage) => {
  const [objects, notes] = [objectsOf(scene, restoreOf(scene.id)), workItemsOf(scene.id)];
  return { objects, notes, isNoted: runningItemOf(scene.id) !== undefined };
};
const nothing = { objects: foreign, notes: [], isNoted: false };

interface Case {
  readonly what: string;
  readonly stage: Stage;
  readonly status: 'failed' | 'cancelled' | 'completed';
  readonly ask?: RestoreInput;
  /** As long as it can be resumed, and after that. */
  readonly first: object;
  readonly last: object;
}

const kept = { objects: all, notes: allWorkItems, isNoted: true };
const cases: readonly Case[] = [
  ...(['failed', 'cancelled'] as const).flatMap((status): readonly Case[] => [
    {
      what: `${status} before it was sealed: its journal goes, the rest when it can no longer be resumed`,
      ...{ stage: 'checking', status, first: { ...kept, objects: foreign }, last: nothing },
    },
    {
      what: `${status} with a safety backup: that stays`,
      ...{ stage: 'sealed', status, first: kept, last: { objects: all, notes: [], isNoted: false } },
    },
    {
      what: `${status} without a safety backup: its journal stays as long as it can be resumed`,
      ...{ stage: 'sealed', status, ask: { safetyBackup: false }, first: kept, last: nothing },
    },
    {
      what: `${status}, and only to plan: all goes at once`,
      ...{ stage: 'checking', status, ask: { dryRun: true }, first: nothing, last: nothing },
    },
  ]),
  {
    what: 'completed with a safety backup: that stays, all else goes at once',
    ...{ stage: 'sealed', status: 'completed' },
    ...{ first: { objects: all, notes: [], isNoted: false }, last: { objects: all, notes: [], isNoted: false } },
  },
  {
    what: 'completed without a safety backup: all goes at once',
    ...{ stage: 'sealed', status: 'completed', ask: { safetyBackup: false }, first: nothing, last: nothing },
  },
];

describe('of a restore that', () => {
  for (const { what, stage, status, ask, first, last } of cases)
    test(what, async () => {
      const scene = await createRestoreAt(stage, ask);
      await finish(scene, status);
      await clean(scene);
      deepEqual(leftOf(scene), first);
      assertReleased(scene);
      daysLater(scene, 6.9);
      await clean(scene);
      deepEqual(leftOf(scene), first);
      daysLater(scene, 7.1);
      await clean(scene);
      deepEqual(leftOf(scene), last);
    });

  for (const { what, stage, status, ask, first, last } of cases)
    test(`${what} – however often cleaning dies`, async () => {
      for (const when of ['before', 'after'] as const)
        for (let at = 1; ; at++) {
          const scene = await createRestoreAt(stage, ask);
          await finish(scene, status);
          const machine = new CrashingMachine(at, when).attach(scene.world);
          await clean(scene).catch(() => undefined);
          new CrashingMachine().attach(scene.world);
          // What dies on the way leaves the reaper's note, and with it all that follows.
          if (machine.isDead) ok(runningItemOf(scene.id) ?? (when === 'after' && workItemsOf(scene.id).length === 0));
          await clean(scene);
          deepEqual(leftOf(scene), first, `${at} ${when}`);
          assertReleased(scene);
          daysLater(scene, 8);
          await clean(scene);
          deepEqual(leftOf(scene), last, `${at} ${when}`);
          if (!machine.isDead) break;
        }
    });
});

test('a restore that goes on is left alone', async () => {
  for (const stage of ['pending', 'checking', 'sealed'] as const) {
    const scene = await createRestoreAt(stage);
    const before = [...table.items];
    await clean(scene);
    deepEqual([...table.items], before);
  }
});

describe('one that was cancelled', () => {
  test('frees its target once, by whoever cleans first', async () => {
    const scene = await createRestoreAt('sealed');
    await endRestore(scene, 'cancelled');
    equal(lockOf(targetId)?.jobId, scene.id);
    await Promise.allSettled([clean(scene), clean(scene), clean(scene)]);
    await clean(scene);
    assertReleased(scene);
  });

  test('frees nobody else’s target', async () => {
    const scene = await createRestoreAt('sealed');
    await endRestore(scene, 'cancelled');
    await clean(scene);
    table.put({ pk: `ORG#${tenant.organizationId}`, sk: `JOB#${targetId}`, jobId: 'another', kind: 'backup', since: 'now' });
    await clean(scene);
    equal(lockOf(targetId)?.jobId, 'another');
    equal(backupOf(scene.backupId).restoring, 0);
  });
});

describe('one that is resumed while it is cleaned up after', () => {
  for (const stage of ['checking', 'sealed'] as const)
    for (const status of ['failed', 'cancelled'] as const)
      test(`${status} while ${stage}: the next attempt loses nothing, and its end removes what is left`, async () => {
        for (let at = 0; ; at++) {
          const scene = await createRestoreAt(stage);
          await finish(scene, status);
          // Nobody resumes before the target is free.
          if (status === 'cancelled') await clean(scene);
          daysLater(scene, 0.1);
          const first = restoreOf(scene.id);
          let seen = 0;
          const resumeOnce = (): undefined => {
            if (seen++ === at) resumeNow(scene.id);
          };
          table.onRead = resumeOnce;
          table.onWrite = (when) => (when === 'before' ? resumeOnce() : undefined);
          await clean(scene);
          table.onRead = () => undefined;
          table.onWrite = () => undefined;
          if (seen <= at) break;
          deepEqual(
            [restoreOf(scene.id).attempt, runningItemOf(scene.id)?.attempt, runningItemOf(scene.id)?.dueAt],
            [2, 2, undefined],
            `${at}`,
          );
          deepEqual([lockOf(targetId)?.jobId, backupOf(scene.backupId).restoring], [scene.id, 1]);
          deepEqual(workItemsOf(scene.id), allWorkItems);
          equal(restoreOf(scene.id).givenUp?.length, stage === 'checking' ? 1 : undefined);
          await finish(scene, 'failed');
          await clean(scene);
          deepEqual(objectsOf(scene, first), stage === 'checking' ? foreign : all);
          equal(restoreOf(scene.id).givenUp, undefined);
        }
      });
});

describe('a destination', () => {
  const isAway = (scene: RestoreAtStage): void => {
    scene.world.throughReading = () => {
      throw new StorageError('unavailable', 'The bucket does not answer.');
    };
  };

  test('that does not answer is asked again, and the target is free meanwhile', async () => {
    const scene = await createRestoreAt('checking');
    await endRestore(scene, 'cancelled');
    const { throughReading } = scene.world;
    isAway(scene);
    await rejects(clean(scene), { name: 'StorageError' });
    assertReleased(scene);
    equal(runningItemOf(scene.id)?.dueAt, undefined);
    scene.world.throughReading = throughReading;
    await clean(scene);
    deepEqual(leftOf(scene), { objects: foreign, notes: allWorkItems, isNoted: true });
  });

  test('that is given up keeps the objects; all else goes on', async () => {
    const scene = await createRestoreAt('checking', { dryRun: true });
    await endRestore(scene, 'cancelled');
    isAway(scene);
    await clean(scene, true);
    deepEqual([workItemsOf(scene.id), runningItemOf(scene.id)], [[], undefined]);
  });
});

test('what was taken back is not resumed: its notes go at once', async () => {
  const scene = await createRestoreAt('sealed');
  await finish(scene, 'failed');
  await commit([set(restoreKey.restore(tenant, scene.id), { undoneBy: 'rst_another' })]);
  await clean(scene);
  deepEqual(leftOf(scene), { objects: all, notes: [], isNoted: false });
});

test('of one whose organization was purged nothing is left', async () => {
  const scene = await createRestoreAt('checking');
  await commit([{ remove: restoreKey.restore(tenant, scene.id) }]);
  await clean(scene);
  deepEqual([workItemsOf(scene.id), runningItemOf(scene.id)], [[], undefined]);
});

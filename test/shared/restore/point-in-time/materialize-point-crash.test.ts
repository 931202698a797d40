/** The run that builds a point in time may crash before or after any effect: the next run starts over, and one backup is kept. */
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import type { MemoryStore } from '../../../../shared/destination/index.ts';
import { prepareRestore } from '../../../../shared/restore/index.ts';
import {
  contentsOf,
  createPointInTimeEnv,
  nextSecond,
  runCycle,
  sourceAt,
  startPointInTimeRestore,
  targetNow,
} from '../../../harness/env/point-in-time-env.ts';
import {
  atStart,
  backupOf,
  eventsOf,
  organizationNow,
  projectId,
  put,
  restoreOf,
  resumeWorkflow,
  table,
  tenant,
} from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const text = (stringValue: string) => ({ text: { stringValue } });
const world = await createPointInTimeEnv({ 'users/ada': text('1'), 'users/bob': text('1'), 'still/here': text('1') });
nextSecond(world);
await put(world, { 'users/ada': text('2'), 'users/bob': undefined, 'users/carl': text('2') });
const second = nextSecond(world);
nextSecond(world);
await runCycle(world);
const items = new Map(table.items);
const folders = new Set(world.stores.keys());

const anew = async () => {
  new CrashingMachine().attach(world);
  table.items.clear();
  for (const [key, item] of items) table.items.set(key, item);
  for (const folder of world.stores.keys()) if (!folders.has(folder)) (world.stores as Map<string, MemoryStore>).delete(folder);
  return startPointInTimeRestore(world, { pointInTime: second });
};

const outcomeOf = async (id: string, backupId: string) => {
  const backup = backupOf(backupId);
  const { backupCount, storageUsed } = organizationNow();
  const objects = [...world.stores].flatMap(([folder, store]) =>
    folder.includes(backupId) ? [...store.objects.keys()].map((name) => `${folder === backup.path} ${name}`) : [],
  );
  return {
    contents: await contentsOf(backup, world.engine),
    objects: objects.sort(),
    counts: [backupCount, storageUsed === world.base.size + backup.size, backup.restoring, backupOf(world.base.id).restoring],
    told: eventsOf('backup.completed').length,
    phase: restoreOf(id).phase,
  };
};

const undisturbed = async () => {
  const { id, backupId } = await anew();
  const machine = new CrashingMachine().attach(world);
  await resumeWorkflow(world, id, atStart(), { upTo: 'prepare' });
  return { effects: machine.effects, outcome: await outcomeOf(id, backupId) };
};
const { effects, outcome: expected } = await undisturbed();

test('materialize: without a crash the backup is the state of that second, alone in its folder, and the restore holds its base no longer', () => {
  deepEqual(expected.contents, sourceAt(world, second));
  deepEqual(expected.objects, ['true chunk/00000000-0000', 'true index/00000000-0000', 'true key', 'true manifest']);
  deepEqual([expected.counts, expected.told], [[2, true, 1, 0], 2]);
  ok(effects > 8);
});

for (const when of ['before', 'after'] as const)
  test(`materialize: crashed ${when} any of its ${effects} effects and repeated, it yields the same`, async () => {
    for (let at = 1; at <= effects; at++) {
      const { id, backupId } = await anew();
      const machine = new CrashingMachine(at, when).attach(world);
      await resumeWorkflow(world, id, atStart(), { upTo: 'prepare' }).catch(() => undefined);
      ok(machine.isDead);
      new CrashingMachine().attach(world);
      await resumeWorkflow(world, id, atStart(), { upTo: 'prepare' });
      deepEqual(await outcomeOf(id, backupId), expected, `${when} ${at}`);
    }
  });

test('materialize: two concurrent runs keep one backup, and the restore completes', async () => {
  const { id, backupId } = await anew();
  const runs = await Promise.allSettled([1, 2].map(() => prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine)));
  ok(runs.some(({ status }) => status === 'fulfilled'));
  await resumeWorkflow(world, id, atStart());
  deepEqual(targetNow(world), sourceAt(world, second));
  const { pointMade, pointTries, status } = restoreOf(id);
  deepEqual([status, pointMade], ['completed', pointTries]);
  deepEqual([backupOf(backupId).restoring, backupOf(world.base.id).restoring], [0, 0]);
  const kept = [...world.stores].filter(([folder, { objects }]) => folder.includes(backupId) && objects.size > 0);
  deepEqual(
    kept.map(([folder]) => folder),
    [`${projectId}/${backupId}${pointMade === 1 ? '' : `-${pointMade}`}`],
  );
});

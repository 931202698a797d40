/** The run that builds a point in time may crash before or after any effect: the next run starts over, and one backup is kept. */
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import type { MemoryStore } from '../../../../shared/destination/index.ts';
import { prepareRestore } from '../../../../shared/restore/index.ts';
import { createPointInTimeEnv } from '../../../harness/env/point-in-time-env.ts';
import { firstRestoreStep } from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createPointInTimeEnv();

const text = (stringValue: string) => ({ text: { stringValue } });
await t.startCaptures({ 'users/ada': text('1'), 'users/bob': text('1'), 'still/here': text('1') });
t.nextSecond();
await t.put({ 'users/ada': text('2'), 'users/bob': undefined, 'users/carl': text('2') });
const second = t.nextSecond();
t.nextSecond();
await t.runCycle();
const items = new Map(t.table.items);
const folders = new Set(t.stores.keys());

const anew = async () => {
  new CrashingMachine().attach(t);
  t.table.items.clear();
  for (const [key, item] of items) t.table.items.set(key, item);
  for (const folder of t.stores.keys()) if (!folders.has(folder)) (t.stores as Map<string, MemoryStore>).delete(folder);
  return t.startPointInTimeRestore({ pointInTime: second });
};

const outcomeOf = async (id: string, backupId: string) => {
  const backup = t.backupOf(backupId);
  const { backupCount, storageUsed } = t.organization;
  const objects = [...t.stores].flatMap(([folder, store]) =>
    folder.includes(backupId) ? [...store.objects.keys()].map((name) => `${folder === backup.path} ${name}`) : [],
  );
  return {
    contents: await t.contentsOf(backup, t.deps),
    objects: objects.sort(),
    counts: [backupCount, storageUsed === t.base.size + backup.size, backup.restoring, t.backupOf(t.base.id).restoring],
    completedEvents: t.events('backup.completed').length,
    phase: t.restoreOf(id).phase,
  };
};

const undisturbed = async () => {
  const { id, backupId } = await anew();
  const machine = new CrashingMachine().attach(t);
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'prepare' });
  return { effects: machine.effects, outcome: await outcomeOf(id, backupId) };
};
const { effects, outcome: expected } = await undisturbed();

test('materialize: without a crash the backup is the state of that second, alone in its folder, and the restore holds its base no longer', () => {
  deepEqual(expected.contents, t.sourceAt(second));
  deepEqual(expected.objects, ['true chunk/00000000-0000', 'true index/00000000-0000', 'true key', 'true manifest']);
  deepEqual([expected.counts, expected.completedEvents], [[2, true, 1, 0], 2]);
  ok(effects > 8);
});

for (const when of ['before', 'after'] as const)
  test(`materialize: crashed ${when} any of its ${effects} effects and repeated, it yields the same`, async () => {
    for (let at = 1; at <= effects; at++) {
      const { id, backupId } = await anew();
      const machine = new CrashingMachine(at, when).attach(t);
      await t.resumeRestore(id, firstRestoreStep(), { upTo: 'prepare' }).catch(() => undefined);
      ok(machine.isDead);
      new CrashingMachine().attach(t);
      await t.resumeRestore(id, firstRestoreStep(), { upTo: 'prepare' });
      deepEqual(await outcomeOf(id, backupId), expected, `${when} ${at}`);
    }
  });

test('materialize: two concurrent runs keep one backup, and the restore completes', async () => {
  const { id, backupId } = await anew();
  const runs = await Promise.allSettled(
    [1, 2].map(() => prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps)),
  );
  ok(runs.some(({ status }) => status === 'fulfilled'));
  await t.resumeRestore(id, firstRestoreStep());
  deepEqual(t.fieldsOf(), t.sourceAt(second));
  const { pointMade, pointTries, status } = t.restoreOf(id);
  deepEqual([status, pointMade], ['completed', pointTries]);
  deepEqual([t.backupOf(backupId).restoring, t.backupOf(t.base.id).restoring], [0, 0]);
  const kept = [...t.stores].filter(([folder, { objects }]) => folder.includes(backupId) && objects.size > 0);
  deepEqual(
    kept.map(([folder]) => folder),
    [`${t.projectId}/${backupId}${pointMade === 1 ? '' : `-${pointMade}`}`],
  );
});

/** A worker may crash before or after any effect until the journal is sealed: the run that continues makes the same journal. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { newShop, type Shop } from '../../../harness/builders/sample-shop.ts';
import {
  atStart,
  backupOf,
  documentsIn,
  eventsOf,
  folderOf,
  journalOf,
  organizationNow,
  restoreOf,
  resumeWorkflow,
  server,
  shardsOf,
  startTestRestore,
  table,
  writesSent,
} from '../../../harness/env/restore-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

afterAll(() => server.stop());

/** One shop for all tests: the items and objects of a journal are removed after each. */
const shop: Shop = await newShop();
const items = new Map(table.items);
const folders = new Set(shop.world.stores.keys());

const prepared = async (): Promise<string> => {
  new CrashingMachine().attach(shop.world);
  table.items.clear();
  for (const [key, item] of items) table.items.set(key, item);
  for (const folder of shop.world.stores.keys())
    if (!folders.has(folder)) (shop.world.stores as Map<string, unknown>).delete(folder);
  server.faults.resetCalls();
  return startTestRestore(shop.world, shop.backup, { mergeMode: 'rollback' });
};

const upTo = { upTo: 'seal' } as const;

/** The outcome that must not depend on crashes. */
const outcomeOf = async (id: string) => {
  const { plan, phase, checked, expected, toldPercent, safetyBackupId, journal } = restoreOf(id);
  const { documentCount, status, restoring } = backupOf(safetyBackupId!);
  const { objects } = folderOf(shop.world, journal.path);
  const { backupCount, storageUsed } = organizationNow();
  return {
    ...{ plan, phase, checked, expected, toldPercent, documentCount, status, restoring, backupCount },
    entries: [...(await journalOf(shop.world, id))],
    isAlone: objects.size === 2 + 2 * shardsOf(id).length,
    openUploads: await folderOf(shop.world, journal.path).abortUnfinishedUploads(''),
    isCounted: storageUsed === shop.backup.size + backupOf(safetyBackupId!).size,
    started: eventsOf('restore.started').length,
    audited: table.find('AUDIT#').filter(({ action }) => action === 'restore.started').length,
    told: eventsOf('restore.progress').map(({ data }) => (data as { progress: { percent: number } }).progress.percent),
    writes: writesSent(),
  };
};

const undisturbed = async () => {
  const id = await prepared();
  const machine = new CrashingMachine().attach(shop.world);
  await resumeWorkflow(shop.world, id, atStart(), upTo);
  const { effects } = machine;
  return { effects, outcome: await outcomeOf(id) };
};

test('check: without a crash there is one journal, alone in its folder', async () => {
  const { outcome } = await undisturbed();
  const live = documentsIn(shop.world);
  for (const [path, { kind, content }] of outcome.entries) equal(content, kind === 'tombstone' ? '' : live.get(path));
  deepEqual([outcome.isAlone, outcome.openUploads, outcome.isCounted, outcome.writes], [true, 0, true, 0]);
  deepEqual([outcome.started, outcome.audited, outcome.told], [1, 1, [10, 20, 30, 40, 50]]);
});

for (const again of ['the step that it was in runs again', 'the whole workflow begins again'])
  test(`check: a crash before or after any effect of a worker, and ${again}`, async () => {
    const { effects, outcome } = await undisturbed();
    ok(effects > 15, `${effects} effects`);
    for (const { at, when } of crashPoints(effects)) {
      const id = await prepared();
      const position = atStart();
      const machine = new CrashingMachine(at, when).attach(shop.world);
      await resumeWorkflow(shop.world, id, position, upTo).catch(() => undefined);
      ok(machine.isDead, `nothing died at ${at}`);
      new CrashingMachine().attach(shop.world);
      await resumeWorkflow(shop.world, id, again.startsWith('the whole') ? atStart() : position, upTo);
      deepEqual(await outcomeOf(id), outcome, `${when} ${at} of ${effects}`);
    }
  });

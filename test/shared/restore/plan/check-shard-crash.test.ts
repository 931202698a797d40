/** A worker may crash before or after any effect until the journal is sealed: the run that continues makes the same journal. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { backUpShop } from '../../../harness/builders/sample-shop.ts';
import { createRestoreEnv, firstRestoreStep } from '../../../harness/env/restore-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreEnv();

/** One shop for all tests: the items and objects of a journal are removed after each. */
const backup = await backUpShop(t);
const items = new Map(t.table.items);
const folders = new Set(t.stores.keys());

const prepared = async (): Promise<string> => {
  new CrashingMachine().attach(t);
  t.table.items.clear();
  for (const [key, item] of items) t.table.items.set(key, item);
  for (const folder of t.stores.keys()) if (!folders.has(folder)) (t.stores as Map<string, unknown>).delete(folder);
  t.server.faults.resetCalls();
  return t.startRestore(backup, { mergeMode: 'rollback' });
};

const upTo = { upTo: 'seal' } as const;

/** The outcome that must not depend on crashes. */
const outcomeOf = async (id: string) => {
  const { plan, phase, checked, expected, toldPercent, safetyBackupId, journal } = t.restoreOf(id);
  const { documentCount, status, restoring } = t.backupOf(safetyBackupId!);
  const { objects } = t.folderOf(journal.path);
  const { backupCount, storageUsed } = t.organization;
  return {
    ...{ plan, phase, checked, expected, toldPercent, documentCount, status, restoring, backupCount },
    entries: [...(await t.journalOf(id))],
    isAlone: objects.size === 2 + 2 * t.shardsOf(id).length,
    openUploads: await t.folderOf(journal.path).abortUnfinishedUploads(''),
    isCounted: storageUsed === backup.size + t.backupOf(safetyBackupId!).size,
    started: t.events('restore.started').length,
    audited: t.table.find('AUDIT#').filter(({ action }) => action === 'restore.started').length,
    percents: t.events('restore.progress').map(({ data }) => (data as { progress: { percent: number } }).progress.percent),
    writes: t.writesSent(),
  };
};

const undisturbed = async () => {
  const id = await prepared();
  const machine = new CrashingMachine().attach(t);
  await t.resumeRestore(id, firstRestoreStep(), upTo);
  const { effects } = machine;
  return { effects, outcome: await outcomeOf(id) };
};

test('check: without a crash there is one journal, alone in its folder', async () => {
  const { outcome } = await undisturbed();
  const live = t.documentsIn();
  for (const [path, { kind, content }] of outcome.entries) equal(content, kind === 'tombstone' ? '' : live.get(path));
  deepEqual([outcome.isAlone, outcome.openUploads, outcome.isCounted, outcome.writes], [true, 0, true, 0]);
  deepEqual([outcome.started, outcome.audited, outcome.percents], [1, 1, [10, 20, 30, 40, 50]]);
});

for (const again of ['the step that it was in runs again', 'the whole workflow begins again'])
  test(`check: a crash before or after any effect of a worker, and ${again}`, async () => {
    const { effects, outcome } = await undisturbed();
    ok(effects > 15, `${effects} effects`);
    for (const { at, when } of crashPoints(effects)) {
      const id = await prepared();
      const position = firstRestoreStep();
      const machine = new CrashingMachine(at, when).attach(t);
      await t.resumeRestore(id, position, upTo).catch(() => undefined);
      ok(machine.isDead, `nothing died at ${at}`);
      new CrashingMachine().attach(t);
      await t.resumeRestore(id, again.startsWith('the whole') ? firstRestoreStep() : position, upTo);
      deepEqual(await outcomeOf(id), outcome, `${when} ${at} of ${effects}`);
    }
  });

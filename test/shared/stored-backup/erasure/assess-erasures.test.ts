/** What an erasure means: which documents it finds, in backups and in captured changes, and until when they are held. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { openLedger } from '../../../../shared/erasure/index.ts';
import { erasureKey } from '../../../../shared/erasure/record.ts';
import { commit, set } from '../../../../shared/platform/index.ts';
import { type RestoreRecord, restoreData } from '../../../../shared/restore/index.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { compareBackup } from '../../../../shared/stored-backup/diff/compare-backup.ts';
import { backupKey, browseBackup } from '../../../../shared/stored-backup/index.ts';
import { createErasureEnv } from '../../../harness/env/erasure-env.ts';

const t = await createErasureEnv();

beforeEach(() => t.reset());

const mail = (stringValue: string) => ({ email: { stringValue } });
const secret = 'bob@example.com';
const query = { field: 'email', value: secret };
const pathsOf = async (): Promise<readonly string[]> => {
  const ledger = t.table.get(erasureKey.ledger(t.tenant, t.projectId))!;
  return (await openLedger(t.tenant, ledger as never)).erasures.flatMap(({ paths }) => paths).sort();
};
const incremental = (parentBackupId: string) => t.takeBackup({ type: 'incremental', parentBackupId, chainLength: 1 });
const paths = () => [...t.documentsIn().keys()].sort();
const erasedIn = (restore: RestoreRecord) => restoreData(restore).documentsErased;
const clearTarget = () => t.putTarget(Object.fromEntries(paths().map((path) => [path, undefined])));

/** Bob has the value in the oldest backup only, Eve only in captured changes, Zed only in the newest backup. */
const scattered = async () => {
  await t.startCaptures({ 'people/bob': mail(secret), 'people/ann': mail('ann@example.com') });
  t.nextSecond();
  await t.put({ 'people/eve': mail(secret), 'people/bob': mail('gone') });
  await t.runCycle();
  t.nextSecond();
  await t.put({ 'people/eve': mail('gone') });
  const moment = t.nextSecond();
  t.nextSecond();
  await t.put({ 'people/zed': mail(secret) });
  await t.runCycle();
  return { newest: await incremental(t.base.id), moment };
};

test('erasure: a query finds the documents that have or had the value, in any backup and in captured changes', async () => {
  const { newest, moment } = await scattered();
  const id = await t.erase({ query });
  equal(t.erasureOf(id).status, 'resolving');
  await t.assess();
  const { status, lastHeldBackupId, documentsFound, pathCount, isResolved } = t.erasureOf(id);
  deepEqual(
    { status, lastHeldBackupId, documentsFound, pathCount, isResolved },
    { status: 'active', lastHeldBackupId: newest.id, documentsFound: 1, pathCount: 3, isResolved: true },
  );
  deepEqual(await pathsOf(), ['people/bob', 'people/eve', 'people/zed']);

  // Versions without the value are hidden, too: in the newest backup, and at a moment.
  const done = await t.restore(newest);
  deepEqual([done.status, erasedIn(done), paths()], ['completed', 3, ['people/ann']]);
  await clearTarget();
  const { id: restoreId } = await t.startPointInTimeRestore({ pointInTime: moment });
  const point = await t.runRestore(restoreId);
  deepEqual([point.status, erasedIn(point), paths()], ['completed', 2, ['people/ann']]);
  const page = { limit: 10, after: undefined };
  const browsed = await browseBackup(t.tenant, {
    backup: t.backupOf(point.backupId),
    query: { path: 'people', showMissing: 'false' },
    page,
    deps: t.deps,
  });
  deepEqual(
    browsed.entries.map((entry) => entry.path),
    ['people/ann'],
  );
  const caller = { ...t.caller, origin: { ip: null, userAgent: null, requestId: 'req' }, now: t.clock.now() };
  const compared = await compareBackup({ ...caller, page }, { backup: newest, against: t.base.id, deps: t.deps });
  deepEqual(compared.data.changes, []);
});

test('erasure: a search that runs out of time continues where it stopped', async () => {
  const { newest } = await scattered();
  const id = await t.erase({ query });
  const states = new Set<string>();
  for (let task = 1; t.erasureOf(id).status === 'resolving'; task++) {
    ok(task < 50, 'the search ends');
    // Every look at the clock takes a second, and a task has a few.
    let seconds = 0;
    const start = t.nowMs();
    await t.assess({ clock: { now: () => new Date(start + 1_000 * seconds++) }, seconds: 3 });
    const { searching, searchAfter, capturesAfter } = t.erasureOf(id);
    states.add(capturesAfter ? 'captures' : searching ? 'within a backup' : searchAfter ? 'between backups' : 'done');
    ok(!JSON.stringify({ searching, searchAfter, capturesAfter }).includes('people'), 'no path is stored in clear text');
  }
  ok(states.size > 1, [...states].join());
  deepEqual(await pathsOf(), ['people/bob', 'people/eve', 'people/zed']);
  const { lastHeldBackupId, documentsFound, searchAfter } = t.erasureOf(id);
  deepEqual([lastHeldBackupId, documentsFound, searchAfter], [newest.id, 1, undefined]);
});

test('erasure: an entry that was made before all backups were searched is searched again', async () => {
  await scattered();
  const id = await t.erase({ query });
  await commit([set(erasureKey.erasure(t.tenant, t.projectId, id), { status: 'active', documentsFound: 1 })]);
  await t.assess();
  deepEqual([t.erasureOf(id).status, t.erasureOf(id).pathCount], ['active', 3]);
});

test('erasure: documents that only captured changes hold expire with them', async () => {
  await t.startCaptures({ 'people/ann': mail('ann@example.com') });
  t.nextSecond();
  await t.put({ 'people/eve': mail(secret) });
  await t.runCycle();
  t.nextSecond();
  await t.put({ 'people/eve': undefined });
  await t.runCycle();
  const ids = [await t.erase({ query }), await t.erase({ paths: ['people/eve'] }), await t.erase({ paths: ['people/none'] })];
  const statuses = () => ids.map((id) => t.erasureOf(id).status);
  await t.assess();
  deepEqual(statuses(), ['active', 'active', 'active']);
  deepEqual(
    ids.map((id) => [t.erasureOf(id).lastHeldBackupId, t.erasureOf(id).isHeldByCaptures ?? false]),
    [
      [null, true],
      [null, true],
      [null, false],
    ],
  );
  // The window passes; a new base replaces the batches.
  const base = await t.takeBackup();
  t.pass(9 * 24 * 3_600);
  const later = await t.takeBackup();
  const since = later.readTime ?? later.createdAt;
  t.table.put({ ...t.pitr, bases: [...t.pitr.bases, { backupId: later.id, readTime: since, since }] });
  t.pass(9 * 24 * 3_600);
  await t.expireCaptures();
  ok(base.id !== later.id);
  await t.assess();
  deepEqual(statuses(), ['expired', 'expired', 'active']);
  ok(t.erasureOf(ids[0]!).expiredAt);
});

test('erasure: a document that is created later at an erased path is a new one, and is restored', async () => {
  await t.put({ 'people/bob': mail(secret), 'people/bob/notes/1': mail('note'), 'people/ann': mail('ann@example.com') });
  const old = await t.takeBackup();
  const ids = [await t.erase({ paths: ['people/bob'] }), await t.erase({ query })];
  // Not deleted from the live database: a later backup hides it, also after an update.
  t.sourceNowMs = () => Date.now() + 20 * 60_000;
  await t.put({ 'people/bob': mail('changed') });
  const still = await t.takeBackup();
  deepEqual([erasedIn(await t.restore(still)), paths()], [2, ['people/ann']]);
  // Deleted and created again.
  await t.put({ 'people/bob': undefined });
  await t.put({ 'people/bob': mail(secret) });
  const recreated = await t.takeBackup();
  const done = await t.restore(recreated);
  deepEqual([erasedIn(done), paths()], [1, ['people/ann', 'people/bob']]);
  // A rollback to the old backup neither writes the erased document nor deletes the new one.
  const back = await t.restore(old, { mergeMode: 'rollback' });
  deepEqual([back.plan?.delete, erasedIn(back), paths()], [0, 2, ['people/ann', 'people/bob']]);
  await t.assess();
  for (const { id } of [still, old]) t.table.put({ ...t.backupOf(id), status: 'deleted' } as never);
  for (const { id, archive } of [still, old]) await commit([{ remove: backupKey.archive(t.tenant, archive.backup, id) }]);
  await t.put({ 'people/bob/notes/1': undefined });
  const clean = await t.takeBackup();
  t.table.put({ ...t.backupOf(recreated.id), status: 'deleted' } as never);
  await commit([{ remove: backupKey.archive(t.tenant, recreated.archive.backup, recreated.id) }]);
  await t.assess();
  deepEqual(
    ids.map((id) => t.erasureOf(id).status),
    ['expired', 'expired'],
    `only ${clean.id} is left, and it holds the new document`,
  );
});

test('erasure: an erasure made during a restore is applied to what is not written yet, and to a resumed restore', async () => {
  await t.put({ 'people/ann': mail('ann@example.com'), 'people/bob': mail(secret), 'people/eve': mail('eve@example.com') });
  const backup = await t.takeBackup();
  const planned = await t.startRestore(backup);
  await t.runRestore(planned, { upTo: 'seal' });
  await t.erase({ query });
  const done = await t.runRestore(planned);
  deepEqual([done.status, done.plan?.create, done.written, erasedIn(done)], ['completed', 3, 2, 1]);
  deepEqual(paths(), ['people/ann', 'people/eve']);

  await clearTarget();
  const failing = await t.startRestore(backup);
  await t.runRestore(failing, { upTo: 'seal' });
  // A document that others create after the check is not replaced: the restore fails.
  await t.putTarget({ 'people/ann': mail('theirs') });
  await t.runRestore(failing).catch(() => undefined);
  equal(t.restoreOf(failing).status, 'failed');
  await t.putTarget({ 'people/ann': undefined });
  await t.erase({ paths: ['people/ann'] });
  const { change } = await resumeRestore(t.tenant, t.restoreOf(failing), t.clock.now());
  await commit(change.writes);
  const resumed = await t.runRestore(failing);
  deepEqual([resumed.status, paths()], ['completed', ['people/eve']], JSON.stringify(resumed.error));
});

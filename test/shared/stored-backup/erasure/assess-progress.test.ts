/** How erasures are assessed: every task makes progress, no work is multiplied, and what is known is not read again. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, test } from 'vitest';
import { type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import { erasureKey, type LedgerRecord } from '../../../../shared/erasure/index.ts';
import { pitrKey } from '../../../../shared/pitr/index.ts';
import { type Clock, commit } from '../../../../shared/platform/index.ts';
import { fittingPaths } from '../../../../shared/stored-backup/erasure/found-paths.ts';
import { type ArchiveDeps, type BackupRecord, backupKey } from '../../../../shared/stored-backup/index.ts';
import { createErasureEnv } from '../../../harness/env/erasure-env.ts';

const t = await createErasureEnv();

beforeEach(() => t.reset());

const mail = (stringValue: string) => ({ email: { stringValue } });
const secret = 'bob@example.com';
const query = { field: 'email', value: secret };

/** Documents of several leaves. */
const large = (prefix: string) =>
  Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`${prefix}/${n}`, { text: { stringValue: randomBytes(100_000).toString('hex') } }]),
  );

/** Every look at the clock takes a second. */
const slowClock = (): Clock => {
  let seconds = 0;
  const start = t.nowMs();
  return { now: () => new Date(start + 1_000 * seconds++) };
};

type AssessTask = { readonly erasureId?: string; readonly from?: string };

/** Takes the tasks that were enqueued. */
const takeTasks = (): readonly AssessTask[] =>
  t.table.find('', 'TASK#').flatMap(({ pk, sk, message }) => {
    t.table.items.delete(`${pk}\n${sk}`);
    const { task } = JSON.parse(String(message));
    return task.kind === 'assess-erasures' ? [task] : [];
  });

/** Runs tasks that have time for one step each, until there are none. Returns how many there were. */
const drain = async (first: AssessTask = {}): Promise<number> => {
  takeTasks();
  let count = 0;
  for (let next: AssessTask | undefined = first; next; count++) {
    ok(count < 100, 'the tasks end');
    const { erasureId, from } = next;
    await t.assess({ erasureId, from, clock: slowClock(), seconds: 1 });
    const tasks = takeTasks();
    ok(tasks.length <= 1, `a task enqueued ${tasks.length} others`);
    next = tasks[0];
  }
  return count;
};

const removeBackup = async ({ id, archive }: BackupRecord): Promise<void> => {
  t.table.put({ ...t.backupOf(id), status: 'deleted' } as never);
  await commit([{ remove: backupKey.archive(t.tenant, archive.backup, id) }]);
};

/** Calls `onGet` before every read of a bucket. */
const watched = (onGet: (object: string) => void): ArchiveDeps => ({
  ...t.deps,
  openStore: async (tenant, destination, folder) => {
    const store = await t.deps.openStore(tenant, destination, folder);
    const get: ObjectStore['get'] = async (name, range, signal) => {
      onGet(`${folder} ${name} ${JSON.stringify(range ?? null)}`);
      return store.get(name, range, signal);
    };
    return new Proxy(store, {
      get: (target, key) => {
        if (key === 'get') return get;
        const value = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  },
});

test('erasure: tasks with little time end, reach every entry, and enqueue one other each', async () => {
  await t.put({ 'people/bob': mail(secret), 'people/ann': mail('ann@example.com') });
  const first = await t.takeBackup();
  const ids = [await t.erase({ query })];
  await t.assess();
  equal(t.erasureOf(ids[0]!).lastHeldBackupId, first.id);
  await t.put({ 'people/bob': undefined, ...large('notes') });
  const second = await t.takeBackup();
  const third = await t.takeBackup();
  await removeBackup(first);
  ids.push(await t.erase({ paths: ['people/ann'] }), await t.erase({ paths: ['people/bob'] }));
  t.pass(3_600);
  const tasks = await drain();
  ok(tasks > 5, `${tasks} tasks`);
  deepEqual(
    ids.map((id) => [t.erasureOf(id).status, t.erasureOf(id).lastHeldBackupId]),
    [
      ['expired', first.id],
      ['active', third.id],
      ['active', null],
    ],
  );
  for (const id of ids) equal(t.erasureOf(id).searching, undefined);
  // Nothing new: one look at each.
  ok((await drain()) <= ids.length);
  // A backup without the documents does not change an expired entry.
  await t.takeBackup();
  await drain();
  equal(t.erasureOf(ids[0]!).status, 'expired');
  ok(second.id !== third.id);
});

test('erasure: a backup that is added during a long search is searched before an entry expires', async () => {
  await t.put({ 'people/bob': mail(secret), ...large('notes') });
  const first = await t.takeBackup();
  const id = await t.erase({ paths: ['people/bob'] });
  await t.assess();
  await t.put({ 'people/bob': undefined });
  for (let n = 0; n < 2; n++) await t.takeBackup();
  await removeBackup(first);
  t.pass(3_600);
  takeTasks();
  await t.assess({ clock: slowClock(), seconds: 1 });
  ok(t.erasureOf(id).searchAfter ?? t.erasureOf(id).searching);
  // The document comes back as it was created before the erasure.
  t.sourceNowMs = () => t.nowMs() - 7_200_000;
  await t.put({ 'people/bob': mail(secret) });
  t.sourceNowMs = t.nowMs;
  const back = await t.takeBackup();
  await drain({ erasureId: id });
  deepEqual([t.erasureOf(id).status, t.erasureOf(id).lastHeldBackupId], ['active', back.id]);
});

test('erasure: an erasure starts a search of its own entry, and of concurrent tasks one continues', async () => {
  await t.put({ 'people/bob': mail(secret), ...large('notes') });
  await t.takeBackup();
  await t.takeBackup();
  takeTasks();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await t.erase({ query }));
  deepEqual(
    takeTasks().map(({ erasureId }) => erasureId),
    ids,
  );
  const erasureId = ids[0]!;
  await Promise.all(Array.from({ length: 4 }, () => t.assess({ erasureId, clock: slowClock(), seconds: 1 })));
  deepEqual(
    takeTasks().map((task) => task.erasureId),
    [erasureId],
  );
  await drain({ erasureId });
  deepEqual(
    ids.map((id) => t.erasureOf(id).status),
    ['active', 'resolving', 'resolving', 'resolving', 'resolving'],
  );
});

/** Eve has the value in the first batch, Zed in the second. */
const captured = async (): Promise<void> => {
  await t.startCaptures({ 'people/ann': mail('ann@example.com') });
  for (const name of ['eve', 'zed']) {
    t.nextSecond();
    await t.put({ [`people/${name}`]: mail(secret) });
    await t.runCycle();
    t.nextSecond();
    await t.put({ [`people/${name}`]: undefined });
    await t.runCycle();
  }
};
const batchCount = () => t.table.find(pitrKey.tokens(t.tenant, t.projectId).pk, 'BATCH#').length;

test('erasure: captured changes that cannot be read now are read later; damaged ones are left out', async () => {
  await captured();
  const id = await t.erase({ query });
  const isBatch = (object: string) => object.includes('/pitr');
  const away = watched((object) => {
    if (isBatch(object)) throw new StorageError('unavailable', 'The bucket does not answer.');
  });
  await rejects(t.assess({ deps: away }), StorageError);
  deepEqual([t.erasureOf(id).status, t.erasureOf(id).isResolved], ['resolving', undefined]);
  let damaged: string | undefined;
  const oneMissing = watched((object) => {
    if (!isBatch(object)) return;
    damaged ??= object;
    if (object === damaged) throw new StorageError('missing', 'There is no such object.');
  });
  await t.assess({ deps: oneMissing });
  deepEqual([t.erasureOf(id).isResolved, t.erasureOf(id).pathCount], [true, 1]);
});

test('erasure: a search of captured changes reads at least one batch, however little time there is', async () => {
  await captured();
  ok(batchCount() > 1, `${batchCount()} batches`);
  const ids = [await t.erase({ query }), await t.erase({ paths: ['people/zed'] })];
  await drain();
  deepEqual(
    ids.map((id) => [t.erasureOf(id).status, t.erasureOf(id).isHeldByCaptures, t.erasureOf(id).pathCount]),
    [
      ['active', true, 2],
      ['active', true, 1],
    ],
  );
});

test('erasure: leaves without a match are not read again for backups that share them, nor backups that were searched', async () => {
  await t.startCaptures({ 'people/ann': mail('ann@example.com'), ...large('notes') });
  t.nextSecond();
  await t.put({ 'people/eve': mail(secret) });
  await t.runCycle();
  t.nextSecond();
  await t.put({ 'people/eve': undefined });
  await t.runCycle();
  let parent = t.base;
  for (let chainLength = 1; chainLength <= 2; chainLength++) {
    await t.put({ [`people/new${chainLength}`]: mail('new@example.com') });
    parent = await t.takeBackup({ type: 'incremental', parentBackupId: parent.id, chainLength });
  }
  const id = await t.erase({ query });
  const reads: string[] = [];
  const deps = watched((object) => {
    if (object.includes(`${t.base.path} chunk`)) reads.push(object);
  });
  await t.assess({ deps });
  ok(reads.length > 1);
  deepEqual([...new Set(reads)], reads, 'each part of the first backup is read once');
  deepEqual([t.erasureOf(id).lastHeldBackupId, t.erasureOf(id).isHeldByCaptures], [null, true]);
  // Once all backups were searched for the path that was found, too, only new ones are read.
  t.pass(3_600);
  await t.assess();
  reads.length = 0;
  await t.assess({ deps });
  deepEqual([reads, t.erasureOf(id).status], [[], 'active']);
});

test('erasure: found paths leave half of the ledger for new erasures', async () => {
  await t.put({ 'people/bob': mail(secret) });
  await t.takeBackup();
  const id = await t.erase({ query });
  const key = erasureKey.ledger(t.tenant, t.projectId);
  const ledger = t.table.get<LedgerRecord>(key)!;
  t.table.put({ ...ledger, bytes: (4 << 20) - 5 });
  await t.assess();
  deepEqual([t.erasureOf(id).status, t.erasureOf(id).documentsFound, t.erasureOf(id).pathCount], ['active', 1, 0]);
  equal(t.table.get<LedgerRecord>(key)!.version, ledger.version);
  ok(await t.erase({ paths: ['people/ann'] }));
  deepEqual(fittingPaths(['a/b', 'c/d', 'e/f'], 12), ['a/b', 'c/d']);
  deepEqual(fittingPaths(['a/b'], -1), []);
  deepEqual(fittingPaths(['a/b'], 6), ['a/b']);
});

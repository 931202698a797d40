/** A backup contains every document at its read time, byte for byte, with correct counts. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { planBackup, prepareBackup } from '../../../../shared/backup/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { randomTree } from '../../../harness/builders/random-tree.ts';
import { createBackupEnv, textField } from '../../../harness/env/backup-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';
import { awkward } from '../../../harness/firestore/firestore-server.ts';

const t = await createBackupEnv();

beforeEach(() => t.reset());

const completed = async (start: Parameters<typeof t.startBackup>[0] = {}, options: Parameters<typeof t.runBackup>[1] = {}) => {
  const id = await t.startBackup(start);
  await t.runBackup(id, options);
  const record = t.backupOf(id);
  equal(record.status, 'completed', JSON.stringify(record.error));
  return { id, record, restored: await t.readBackup(id) };
};

for (const seed of Array.from({ length: 12 }, (_, n) => n + 1))
  test(`backup: documents of every type, also below missing parents, are read back byte for byte (seed ${seed})`, async () => {
    await t.write(randomTree(seed, 60, t.root));
    const { restored, record } = await completed();
    const expected = t.contents();
    ok(expected.length > 20);
    deepEqual(restored.documents, expected);
    deepEqual([record.documentCount, record.countVerified], [expected.length, true]);
  });

test('backup: the record states contents, path and cost, and the organization counts it once', async () => {
  await t.writePaths(awkward);
  const { id, record, restored } = await completed({ retention: 30 });
  deepEqual(restored.documents, t.contents());
  const stored = [...t.store.objects.values()].reduce((sum, { length }) => sum + length, 0);
  deepEqual([record.size, record.phase, record.toldPercent, record.documents], [stored, 'finished', 100, awkward.length]);
  equal(
    record.originalSize,
    t.contents().reduce((sum, [, hex]) => sum + hex.length / 2, 0),
  );
  deepEqual(record.collectionCounts[0], ['a', 14]);
  equal(
    record.collectionCounts.reduce((sum, [, count]) => sum + count, 0),
    awkward.length,
  );
  deepEqual(
    restored.manifest.collections.reduce((sum, { documents }) => sum + documents, 0),
    awkward.length,
  );
  // A probe, the list of collections, the counts of planning, every document, and the count they are compared with.
  ok(record.reads > awkward.length && record.reads <= awkward.length + 6, `${record.reads} reads`);
  equal(record.readTime, restored.manifest.readTime);
  equal(Date.parse(record.expiresAt!) - Date.parse(record.completedAt!), 30 * 24 * 3_600_000);
  ok(record.startedAt! <= record.completedAt! && record.deadline! > record.startedAt!);
  const { backupCount, storageUsed } = t.organization;
  deepEqual([backupCount, storageUsed], [1, stored]);
  equal(t.table.get(projectKey.project(t.tenant, t.projectId))?.lastBackupAt, record.completedAt);
  equal(t.table.get(organizationKey.storageDestination(t.tenant, t.destinationId))?.backupCount, 1);
  deepEqual(t.reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  const [reported] = t.events('backup.completed').map(({ data }) => (data as { backup: Record<string, unknown> }).backup);
  deepEqual([reported?.id, reported?.status, reported?.size, reported?.documentCount], [id, 'completed', stored, awkward.length]);
  const [entry] = t.table.find(`AUDIT#${t.tenant.organizationId}`) as { action: string; actor: { type: string } }[];
  deepEqual([entry?.action, entry?.actor.type], ['backup.completed', 'system']);
});

test('backup: the store contains no plaintext of documents or keys', async () => {
  const canary = 'canary-7f3a9c';
  await t.write([[`${canary}-id/1`, textField(canary)]]);
  await completed();
  for (const [name, bytes] of t.store.objects) {
    ok(!Buffer.from(bytes).includes(canary), name);
    ok(!name.includes(canary));
  }
  ok(!JSON.stringify([...t.table.items.values()].filter(({ pk }) => pk?.S !== 'x')).includes(`"${canary}"`));
});

test('backup: an empty database is backed up, with all ten progress events', async () => {
  const { record, restored } = await completed();
  deepEqual([record.documentCount, record.totalDocuments, restored.manifest.objects], [0, 0, []]);
  deepEqual(t.reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

test('backup: only the requested collections are read, and unknown ones are reported', async () => {
  await t.writePaths(['a/1', 'a/1/b/2', 'a/2/c/1/b/3', 'b/1', 'c/1', 'd/1/e/1', 'd/2']);
  const collections = ['a', 'd', 'nowhere', 'd/1/nothing'];
  const { record, restored } = await completed({ collections, excludeCollections: ['a/1/b', 'd/1/e'] });
  deepEqual(
    restored.documents.map(([path]) => path),
    ['a/1', 'a/2/c/1/b/3', 'd/2'],
  );
  deepEqual([...record.unknownCollections].sort(), ['d/1/nothing', 'nowhere']);
  equal(record.documentCount, 3);
  const [event] = t.events('backup.completed') as readonly { data?: { backup: { unknownCollections: readonly string[] } } }[];
  deepEqual([...(event?.data?.backup.unknownCollections ?? [])].sort(), ['d/1/nothing', 'nowhere']);
  deepEqual(restored.manifest.notes.unknownCollections, record.unknownCollections);
});

test('backup: it fails with COLLECTION_NOT_FOUND if none of the named collections exists', async () => {
  t.users = [{ id: 'ada', json: Buffer.from('{}') }];
  await t.writePaths(['a/1/orders/2', 'b/1']);
  // A bare id names a root collection, not the subcollections of that id.
  const collections = ['orders', 'a/2/orders', 'nowhere'];
  const id = await t.startBackup({ collections, includeAuthUsers: true });
  await t.runBackup(id);
  const { status, error } = t.backupOf(id);
  deepEqual([status, error?.code, error?.details], ['failed', 'COLLECTION_NOT_FOUND', { names: collections, count: 3 }]);
  match(error?.message ?? '', /orders, a\/2\/orders, nowhere/);
  deepEqual([...t.store.objects.keys()], []);
  equal(t.events('backup.failed').length, 1);
});

test('backup: an excluded collection that does not exist is reported and nothing else', async () => {
  await t.writePaths(['a/1']);
  const { record } = await completed({ collections: ['a'], excludeCollections: ['nowhere'] });
  deepEqual([record.documentCount, record.unknownCollections], [1, ['nowhere']]);
});

test('backup: users come first in the archive, sorted by name', async () => {
  t.users = ['zoe', 'Ada', '__id5__', '\u{1f600}', 'ada', '__id12__', 'é'].map((id) => ({
    id,
    json: Buffer.from(JSON.stringify({ localId: id, passwordHash: 'canary' })),
  }));
  await t.writePaths(['a/1', 'z/1']);
  const { record, restored } = await completed({ includeAuthUsers: true });
  deepEqual(
    restored.users.map(([name]) => name),
    ['__id5__', '__id12__', 'Ada', 'ada', 'zoe', 'é', '\u{1f600}'].map((id) => `accounts/${id}`),
  );
  deepEqual(JSON.parse(restored.users[3]![1]), { localId: 'ada', passwordHash: 'canary' });
  deepEqual([record.authUsers, record.documentCount, restored.manifest.counts.users], [7, 2, 7]);
});

// The sum of two documents is 100 in every version: a backup with two read times would have another sum.
test('backup: all documents have the same read time despite concurrent writes', async () => {
  const set = (left: number) =>
    t.write(
      (['a/left', 'z/right'] as const).map((path, n) => [
        path,
        new Map([['value', proto.Value.encode({ integerValue: BigInt(n === 0 ? left : 100 - left) })]]),
      ]),
    );
  await set(50);
  await t.writePaths(
    Array.from({ length: 200 }, (_, n) => `m/${n}`),
    2_000,
  );
  let isOver = false;
  const writer = (async () => {
    for (let n = 0; !isOver; n++) {
      await set(n % 100);
      await new Promise(setImmediate);
    }
  })();
  const { restored } = await completed({ excludeCollections: ['n'] }, { afterPlan: () => set(1) });
  isOver = true;
  await writer;
  const sum = restored.documents
    .filter(([path]) => path === 'a/left' || path === 'z/right')
    .map(([, hex]) => proto.Value.decode(proto.Document.decode(Buffer.from(hex, 'hex')).fields.get('value')!).integerValue ?? 0n)
    .reduce((total, value) => total + value, 0n);
  equal(sum, 100n);
  notEqual(restored.documents.length, 0);
});

test('copy: a worker that runs out of time hands over, and the parts contain each document once', async () => {
  await t.writePaths(
    Array.from({ length: 600 }, (_, n) => `a/${n}`),
    4_000,
  );
  t.server.faults.add({ method: 'RunQuery', pauseMs: 0.5, times: 1_000, project: t.sourceProjectId });
  let parts = 0;
  const { record, restored } = await completed({}, { copySeconds: 0.15, onRun: () => (parts += 1) });
  ok(parts > 1, 'one run was enough');
  deepEqual(restored.documents, t.contents());
  deepEqual([record.documentCount, record.countVerified], [600, true]);
  deepEqual(t.reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

test('backup: with object lock every object is locked until the time on the record', async () => {
  await t.writePaths(['a/1']);
  const key = organizationKey.storageDestination(t.tenant, t.destinationId);
  t.table.put({ ...t.table.get(key)!, objectLock: { mode: 'compliance', days: 3 } });
  const locks = new Map<string, Date | undefined>();
  t.wrapStore = (inner) => ({
    ...bound(inner),
    put: (name, bytes, options) => {
      locks.set(name, options?.lockedUntil);
      return inner.put(name, bytes, options);
    },
    upload: (name, options) => {
      locks.set(name, options?.lockedUntil);
      return inner.upload(name, options);
    },
  });
  const { record } = await completed();
  equal(Date.parse(record.lockedUntil!) - Date.parse(record.startedAt!), 3 * 24 * 3_600_000);
  deepEqual([...locks.keys()].sort(), [...t.store.objects.keys()].sort());
  for (const [name, lock] of locks) equal(lock?.toISOString(), record.lockedUntil, name);
});

// The record of a part must fit into an item, and the counts must fit into the record of the backup.
test('copy: thousands of collections end a part early and are all counted', async () => {
  const idOf = (n: number): string => `${String(n).padStart(5, '0')}-${'c'.repeat(40)}`;
  await t.writePaths(Array.from({ length: 3_000 }, (_, n) => `root/gone/${idOf(n)}/1`));
  await t.writePaths([`root/gone/${idOf(2_999)}/2`]);
  const { record, restored } = await completed();
  deepEqual(restored.documents, t.contents());
  ok(restored.manifest.objects.length > 2, 'one part was enough');
  equal(restored.manifest.collections.length, 3_000);
  equal(record.collectionCounts.length, 1_000);
  deepEqual(record.collectionCounts[0], [idOf(2_999), 2]);
});

test('backup: prepare and plan are idempotent', async () => {
  await t.writePaths(['a/1', 'z/1']);
  const id = await t.startBackup({ excludeCollections: ['m'] });
  await prepareBackup(t.tenant, id, t.deps);
  const { startedAt, keyFile } = t.backupOf(id);
  await prepareBackup(t.tenant, id, t.deps);
  deepEqual([t.backupOf(id).startedAt, t.backupOf(id).keyFile], [startedAt, keyFile]);
  const first = await planBackup(t.tenant, id, t.deps);
  const { readTime } = t.backupOf(id);
  await t.writePaths(['b/1']);
  deepEqual(await planBackup(t.tenant, id, t.deps), first);
  deepEqual([first.shards, t.backupOf(id).readTime], [[0, 1], readTime]);
  await prepareBackup(t.tenant, id, t.deps);
  equal(t.backupOf(id).phase, 'copying');
});

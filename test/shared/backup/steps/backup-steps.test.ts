/** What a backup holds: every document of one moment, byte for byte, and numbers that are true. */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { planBackup, prepareBackup } from '../../../../shared/backup/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { randomTree } from '../../../harness/builders/random-tree.ts';
import {
  begin,
  contents,
  destinationId,
  eventsOf,
  newWorld,
  organizationNow,
  projectId,
  readBack,
  recordOf,
  reportedPercents,
  rootOf,
  runWorkflow,
  server,
  table,
  tenant,
  textField,
  type World,
  write,
  writePaths,
} from '../../../harness/env/backup-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';
import { awkward } from '../../../harness/firestore/firestore-server.ts';

afterAll(() => server.stop());

const completed = async (
  world: World,
  wish: Parameters<typeof begin>[1] = {},
  options: Parameters<typeof runWorkflow>[2] = {},
) => {
  const id = await begin(world, wish);
  await runWorkflow(world, id, options);
  const record = recordOf(id);
  equal(record.status, 'completed', JSON.stringify(record.error));
  return { id, record, restored: await readBack(world, id) };
};

for (const seed of Array.from({ length: 12 }, (_, n) => n + 1))
  test(`backup: documents of every type, also below missing parents, are read back byte for byte (seed ${seed})`, async () => {
    const world = newWorld();
    await write(world, randomTree(seed, 60, rootOf(world)));
    const { restored, record } = await completed(world);
    const expected = contents(world);
    ok(expected.length > 20);
    deepEqual(restored.documents, expected);
    deepEqual([record.documentCount, record.countVerified], [expected.length, true]);
  });

test('backup: the record states contents, path and cost, and the organization counts it once', async () => {
  const world = newWorld();
  await writePaths(world, awkward);
  const { id, record, restored } = await completed(world, { retention: 30 });
  deepEqual(restored.documents, contents(world));
  const stored = [...world.store.objects.values()].reduce((sum, { length }) => sum + length, 0);
  deepEqual([record.size, record.phase, record.toldPercent, record.documents], [stored, 'finished', 100, awkward.length]);
  equal(
    record.originalSize,
    contents(world).reduce((sum, [, hex]) => sum + hex.length / 2, 0),
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
  // A probe, a look at the collections and what planning counts, every document, and the count they are compared with.
  ok(record.reads > awkward.length && record.reads <= awkward.length + 6, `${record.reads} reads`);
  equal(record.readTime, restored.manifest.readTime);
  equal(Date.parse(record.expiresAt!) - Date.parse(record.completedAt!), 30 * 24 * 3_600_000);
  ok(record.startedAt! <= record.completedAt! && record.deadline! > record.startedAt!);
  const { backupCount, storageUsed } = organizationNow();
  deepEqual([backupCount, storageUsed], [1, stored]);
  equal(table.get(projectKey.project(tenant, projectId))?.lastBackupAt, record.completedAt);
  equal(table.get(organizationKey.storageDestination(tenant, destinationId))?.backupCount, 1);
  deepEqual(reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  const [told] = eventsOf('backup.completed').map(({ data }) => (data as { backup: Record<string, unknown> }).backup);
  deepEqual([told?.id, told?.status, told?.size, told?.documentCount], [id, 'completed', stored, awkward.length]);
  const [entry] = table.find(`AUDIT#${tenant.organizationId}`) as { action: string; actor: { type: string } }[];
  deepEqual([entry?.action, entry?.actor.type], ['backup.completed', 'system']);
});

test('backup: the store contains no plaintext of documents or keys', async () => {
  const world = newWorld();
  const canary = 'canary-7f3a9c';
  await write(world, [[`${canary}-id/1`, textField(canary)]]);
  await completed(world);
  for (const [name, bytes] of world.store.objects) {
    ok(!Buffer.from(bytes).includes(canary), name);
    ok(!name.includes(canary));
  }
  ok(!JSON.stringify([...table.items.values()].filter(({ pk }) => pk?.S !== 'x')).includes(`"${canary}"`));
});

test('backup: an empty database is backed up, with all ten progress events', async () => {
  const world = newWorld();
  const { record, restored } = await completed(world);
  deepEqual([record.documentCount, record.totalDocuments, restored.manifest.objects], [0, 0, []]);
  deepEqual(reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

test('backup: only the requested collections are read, and unknown ones are reported', async () => {
  const world = newWorld();
  await writePaths(world, ['a/1', 'a/1/b/2', 'a/2/c/1/b/3', 'b/1', 'c/1', 'd/1/e/1', 'd/2']);
  const collections = ['a', 'd', 'nowhere', 'd/1/nothing'];
  const { record, restored } = await completed(world, { collections, excludeCollections: ['a/1/b', 'd/1/e'] });
  deepEqual(
    restored.documents.map(([path]) => path),
    ['a/1', 'a/2/c/1/b/3', 'd/2'],
  );
  deepEqual([...record.unknownCollections].sort(), ['d/1/nothing', 'nowhere']);
  equal(record.documentCount, 3);
});

test('backup: users come first in the archive, sorted by name', async () => {
  const world = newWorld();
  world.users = ['zoe', 'Ada', '__id5__', '\u{1f600}', 'ada', '__id12__', 'é'].map((id) => ({
    id,
    json: Buffer.from(JSON.stringify({ localId: id, passwordHash: 'canary' })),
  }));
  await writePaths(world, ['a/1', 'z/1']);
  const { record, restored } = await completed(world, { includeAuthUsers: true });
  deepEqual(
    restored.users.map(([name]) => name),
    ['__id5__', '__id12__', 'Ada', 'ada', 'zoe', 'é', '\u{1f600}'].map((id) => `accounts/${id}`),
  );
  deepEqual(JSON.parse(restored.users[3]![1]), { localId: 'ada', passwordHash: 'canary' });
  deepEqual([record.authUsers, record.documentCount, restored.manifest.counts.users], [7, 2, 7]);
});

// Two documents whose sum is 100 in every version: a backup that mixed two moments would show another sum.
test('backup: all documents have the same read time despite concurrent writes', async () => {
  const world = newWorld();
  const set = (left: number) =>
    write(
      world,
      (['a/left', 'z/right'] as const).map((path, n) => [
        path,
        new Map([['value', proto.Value.encode({ integerValue: BigInt(n === 0 ? left : 100 - left) })]]),
      ]),
    );
  await set(50);
  await writePaths(
    world,
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
  const { restored } = await completed(world, { excludeCollections: ['n'] }, { afterPlan: () => set(1) });
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
  const world = newWorld();
  await writePaths(
    world,
    Array.from({ length: 600 }, (_, n) => `a/${n}`),
    4_000,
  );
  server.faults.add({ method: 'RunQuery', pauseMs: 0.5, times: 1_000, project: world.sourceProjectId });
  let parts = 0;
  const { record, restored } = await completed(world, {}, { copySeconds: 0.15, onRun: () => (parts += 1) });
  ok(parts > 1, 'one run was enough');
  deepEqual(restored.documents, contents(world));
  deepEqual([record.documentCount, record.countVerified], [600, true]);
  deepEqual(reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
});

test('backup: with object lock every object is locked until the time on the record', async () => {
  const world = newWorld();
  await writePaths(world, ['a/1']);
  const key = organizationKey.storageDestination(tenant, destinationId);
  table.put({ ...table.get(key)!, objectLock: { mode: 'compliance', days: 3 } });
  const locks = new Map<string, Date | undefined>();
  world.through = (inner) => ({
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
  const { record } = await completed(world);
  equal(Date.parse(record.lockedUntil!) - Date.parse(record.startedAt!), 3 * 24 * 3_600_000);
  deepEqual([...locks.keys()].sort(), [...world.store.objects.keys()].sort());
  for (const [name, lock] of locks) equal(lock?.toISOString(), record.lockedUntil, name);
});

// What is written down of a part must fit an item, and what is shown must fit the record.
test('copy: thousands of collections end a part early and are all counted', async () => {
  const world = newWorld();
  const idOf = (n: number): string => `${String(n).padStart(5, '0')}-${'c'.repeat(40)}`;
  await writePaths(
    world,
    Array.from({ length: 3_000 }, (_, n) => `root/gone/${idOf(n)}/1`),
  );
  await writePaths(world, [`root/gone/${idOf(2_999)}/2`]);
  const { record, restored } = await completed(world);
  deepEqual(restored.documents, contents(world));
  ok(restored.manifest.objects.length > 2, 'one part was enough');
  equal(restored.manifest.collections.length, 3_000);
  equal(record.collectionCounts.length, 1_000);
  deepEqual(record.collectionCounts[0], [idOf(2_999), 2]);
});

test('backup: prepare and plan are idempotent', async () => {
  const world = newWorld();
  await writePaths(world, ['a/1', 'z/1']);
  const id = await begin(world, { excludeCollections: ['m'] });
  await prepareBackup(tenant, id, world.engine);
  const { startedAt, keyFile } = recordOf(id);
  await prepareBackup(tenant, id, world.engine);
  deepEqual([recordOf(id).startedAt, recordOf(id).keyFile], [startedAt, keyFile]);
  const first = await planBackup(tenant, id, world.engine);
  const { readTime } = recordOf(id);
  await writePaths(world, ['b/1']);
  deepEqual(await planBackup(tenant, id, world.engine), first);
  deepEqual([first.shards, recordOf(id).readTime], [[0, 1], readTime]);
  await prepareBackup(tenant, id, world.engine);
  equal(recordOf(id).phase, 'copying');
});

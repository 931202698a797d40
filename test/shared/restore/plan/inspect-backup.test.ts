/** A restore says what would fail a verification of its backup, even if it does not need it, and completes exactly. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { objectName } from '../../../../shared/archive/index.ts';
import { type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import type { FolderVersions } from '../../../../shared/destination/store/object-store.ts';
import type { RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { restoreData } from '../../../../shared/restore/model/restore-view.ts';
import { prepareRestore } from '../../../../shared/restore/steps/prepare-restore.ts';
import { type BackupRecord, inspectObjects, type OpenArchive, openRawArchive } from '../../../../shared/stored-backup/index.ts';
import { backUpShop } from '../../../harness/builders/sample-shop.ts';
import { takeLink, text } from '../../../harness/env/chain-env.ts';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const t = await createRestoreEnv();

const found = (restore: RestoreRecord): readonly string[] =>
  restoreData(restore).findings.map(({ object, problem }) => `${problem} ${object}`);
const objectsOf = (backup: BackupRecord): Map<string, Uint8Array> => t.storeOf(backup).objects;
const damageOf = ({ id }: BackupRecord) => t.backupOf(id).damagedDepth;
const chunk = 'chunk/00000001-0000';
const append = (backup: BackupRecord, name = chunk): void => {
  const objects = objectsOf(backup);
  objects.set(name, Buffer.concat([objects.get(name)!, Buffer.from('more')]));
};

test('inspect: a backup that is as it was stored has no findings', async () => {
  const backup = await backUpShop(t);
  const { findings, findingsCount, status } = restoreData(await t.restore(backup));
  deepEqual([status, findings, findingsCount, damageOf(backup)], ['completed', [], 0, undefined]);
});

const faults: Readonly<Record<string, { damage: (backup: BackupRecord) => void; finding: string }>> = {
  'bytes appended to a chunk': { damage: append, finding: `size ${chunk}` },
  'a missing key object': { damage: (backup) => objectsOf(backup).delete('key'), finding: 'missing key' },
  'a damaged key object': {
    damage: (backup) => {
      const key = Buffer.from(objectsOf(backup).get('key')!);
      key[key.length >> 1]! ^= 1;
      objectsOf(backup).set('key', key);
    },
    finding: 'corrupt key',
  },
  'bytes appended to the key object': { damage: (backup) => append(backup, 'key'), finding: 'corrupt key' },
};

for (const [name, { damage, finding }] of Object.entries(faults))
  test(`inspect: ${name}: the restore completes exactly, and its record, event and backup say so`, async () => {
    const backup = await backUpShop(t);
    damage(backup);
    const restore = await t.restore(backup, { mergeMode: 'rollback', collections: ['a', 'c', 'e'] });
    equal(restore.status, 'completed', JSON.stringify(restore.error));
    for (const [path, fields] of t.fieldsOf('source')) equal(t.fieldsOf().get(path), fields, path);
    deepEqual([found(restore), restoreData(restore).findingsCount], [[finding], 1]);
    const [event] = t.events('restore.completed').map(({ data }) => (data as { restore: Record<string, unknown> }).restore);
    deepEqual([event?.findings, event?.findingsCount], [restoreData(restore).findings, 1]);
    deepEqual([damageOf(backup), t.backupOf(backup.id).verifiedAt], ['structure', null]);
    const audited = t.table.find('AUDIT#').filter(({ action }) => action === 'backup.found_damaged');
    deepEqual(
      audited.map(({ details }) => (details as { by: string }).by),
      [restore.id],
    );
  });

test('inspect: the key object of another backup is reported', async () => {
  const backup = await backUpShop(t);
  const other = await t.takeBackup({ collections: ['a'] });
  objectsOf(backup).set('key', objectsOf(other).get('key')!);
  const restore = await t.restore(backup);
  deepEqual([restore.status, found(restore), damageOf(other)], ['completed', ['corrupt key'], undefined]);
});

test('inspect: a repeated first step reports and marks once', async () => {
  const backup = await backUpShop(t);
  append(backup);
  const id = await t.startRestore(backup);
  for (let run = 0; run < 2; run++) await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
  deepEqual(found(t.restoreOf(id)), [`size ${chunk}`]);
  equal(t.table.find('AUDIT#').filter(({ action }) => action === 'backup.found_damaged').length, 1);
});

test('inspect: a job that only plans reports, and does not mark the backup', async () => {
  const backup = await backUpShop(t);
  append(backup);
  const plan = await t.restore(backup, { dryRun: true });
  deepEqual([plan.status, found(plan), damageOf(backup)], ['completed', [`size ${chunk}`], undefined]);
});

test('inspect: objects and keys that an incremental backup inherits are included', async () => {
  t.reset();
  await t.put({ 'a/1': text('one'), 'a/2': text('two') });
  const base = await takeLink(t);
  await t.put({ 'a/2': text('changed') });
  const link = await takeLink(t);
  append(base, 'chunk/00000000-0000');
  const sized = await t.restore(t.backupOf(link.id));
  const archive = base.archive.backup;
  deepEqual([sized.status, found(sized)], ['completed', [`size ${archive}/chunk/00000000-0000`]]);
  equal(damageOf(link), 'structure');
  // The object is the base's: a verification of it fails, too, and no other backup may be made from it.
  equal(damageOf(base), 'structure');
  const marked = t.table.find('AUDIT#').filter(({ action }) => action === 'backup.found_damaged');
  deepEqual(
    marked.map(({ details }) => (details as { object: string }).object),
    [`${archive}/chunk/00000000-0000`, 'chunk/00000000-0000'],
  );
  objectsOf(base).delete('key');
  const keyless = await t.restore(t.backupOf(link.id));
  ok(found(keyless).includes(`missing ${archive}/key`), String(found(keyless)));
  equal(damageOf(link), 'structure');
});

test('inspect: an object that a listing lacks is asked for before it counts as missing', async () => {
  const backup = await backUpShop(t);
  t.wrapStore = (store) => ({
    ...bound(store),
    list: async function* (prefix) {
      for await (const listed of store.list(prefix)) if (listed.name !== chunk) yield listed;
    },
  });
  try {
    const restore = await t.restore(backup);
    deepEqual([restore.status, found(restore), damageOf(backup)], ['completed', [], undefined]);
  } finally {
    t.wrapStore = (store) => store;
  }
});

/** What is found in a backup with 150 more objects that its bucket lists as missing. */
const inspectMany = async (versions: FolderVersions, head: ObjectStore['head']) => {
  const backup = await backUpShop(t);
  t.wrapStore = (store) => ({ ...bound(store), versions, head: async (name) => (await head(name)) ?? store.head(name) });
  const open = await openRawArchive(t.tenant, { backup, deps: t.deps });
  t.wrapStore = (store) => store;
  const { manifest } = open.archive;
  const [entry] = manifest.objects;
  const more = Array.from({ length: 150 }, (_, n) => ({ ...entry!, name: objectName('chunk', 1_000 + n), size: 7 }));
  const archive = { manifest: { ...manifest, objects: [...manifest.objects, ...more] } };
  const { findings, count, damage } = await inspectObjects(t.tenant, {
    backup,
    open: { ...open, archive } as unknown as OpenArchive,
    deps: t.deps,
  });
  open.close();
  return { problems: new Set(findings.map(({ problem }) => problem)), count, damaged: damage.get(backup.archive.backup)?.count };
};
const versionsOf = (overwritten: (name: string) => boolean): FolderVersions => ({
  overwritten: async () => ({ has: overwritten }) as ReadonlySet<string>,
  deleted: async function* () {},
  select: async () => true,
  forget: () => {},
});
const isAdded = (name: string): boolean => name.startsWith('chunk/000010') || name.startsWith('chunk/000011');

test('inspect: in a bucket with versions every missing object counts', async () => {
  const { problems, count, damaged } = await inspectMany(
    versionsOf(() => false),
    async () => undefined,
  );
  deepEqual([[...problems], count, damaged], [['missing'], 150, 150]);
});

test('inspect: objects whose stored version is not searched for count as hidden, and as no damage', async () => {
  const { problems, count, damaged } = await inspectMany(versionsOf(isAdded), async (name) =>
    isAdded(name) ? { size: 7 } : undefined,
  );
  deepEqual([[...problems], count, damaged], [['hidden'], 50, undefined]);
});

test('inspect: a bucket that cannot be listed is a finding, and no damage', async () => {
  const backup = await backUpShop(t);
  t.wrapStore = (store) => ({
    ...bound(store),
    list: () => {
      throw new StorageError('denied', 'Access denied.');
    },
  });
  const id = await t.startRestore(backup);
  try {
    await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
  } finally {
    t.wrapStore = (store) => store;
  }
  deepEqual([found(t.restoreOf(id)), damageOf(backup)], [['unreadable manifest'], undefined]);
});

const flip = (backup: BackupRecord, name: string): void => {
  const bytes = Buffer.from(objectsOf(backup).get(name)!);
  bytes[bytes.length >> 1]! ^= 1;
  objectsOf(backup).set(name, bytes);
};

test('inspect: a restore that cannot read a chunk fails, names it in its findings, and marks the backup', async () => {
  const backup = await backUpShop(t);
  flip(backup, chunk);
  const restore = await t.restore(backup, { mergeMode: 'rollback' });
  deepEqual([restore.status, restore.error?.code, found(restore)], ['failed', 'CHUNK_CORRUPT', [`corrupt ${chunk}`]]);
  const event = t.events('restore.failed').at(-1)?.data as { restore: Record<string, unknown> };
  deepEqual([event.restore.findings, event.restore.findingsCount], [restoreData(restore).findings, 1]);
  deepEqual([damageOf(backup), t.backupOf(backup.id).verifiedAt], ['full', null]);
});

test('inspect: a plan that cannot read a chunk says so, and marks nothing', async () => {
  const backup = await backUpShop(t);
  flip(backup, chunk);
  const restore = await t.restore(backup, { mergeMode: 'rollback', dryRun: true });
  deepEqual([restore.status, found(restore), damageOf(backup)], ['failed', [`corrupt ${chunk}`], undefined]);
});

test('inspect: a restore from a damaged manifest fails, and marks the backup', async () => {
  const backup = await backUpShop(t);
  flip(backup, 'manifest');
  const restore = await t.restore(backup);
  deepEqual([restore.status, restore.error?.code, found(restore)], ['failed', 'CHUNK_CORRUPT', ['corrupt manifest']]);
  equal(damageOf(backup), 'full');
});

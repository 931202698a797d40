/** Filters are objects of a backup like its chunks: they are verified, counted and deleted with it. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { storedObjects } from '../../../../shared/archive/index.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { type BackupRecord, backupKey, eraseBackup, openArchive } from '../../../../shared/stored-backup/index.ts';
import { chance } from '../../../harness/builders/sample-archive.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';
import { takeLink } from '../../../harness/env/chain-env.ts';
import { runVerification } from '../../../harness/env/run-verification.ts';
import { nameSearchFields, searchIn } from '../../../harness/env/search-fields.ts';
import { faulty } from '../../../harness/faults/faulty-store.ts';

const t = await createArchiveEnv();
const random = chance('filters of backups');
const depths = ['structure', 'sample', 'full'] as const;

const collections = ['a', 'c', 'e'];
const person = (email: string): Fields => ({
  email: { stringValue: `${email}@example.com` },
  padding: { stringValue: random(600).toString('hex') },
});
const people = (names: readonly number[], mark = ''): Record<string, Fields> =>
  Object.fromEntries(collections.flatMap((id) => names.map((n) => [`${id}/p${100 + n}`, person(`${id}${n}${mark}`)])));

let full: BackupRecord;
let next: BackupRecord;

/** A full backup with three chunks, and an incremental one with changes in each; every chunk has a filter. */
beforeEach(async () => {
  t.reset();
  nameSearchFields(t, ['email']);
  const asked = { collections };
  await t.put(people(Array.from({ length: 80 }, (_, n) => n)));
  full = await t.takeBackup(asked);
  await t.put(
    people(
      Array.from({ length: 40 }, (_, n) => n),
      'new',
    ),
  );
  next = await takeLink(t, asked);
  deepEqual([full.status, next.status, next.type], ['completed', 'completed', 'incremental']);
});

const filtersOf = (backup: BackupRecord): string[] =>
  [...t.storeOf(backup).objects.keys()].filter((name) => name.startsWith('filter/')).sort();
const findings = async (backup: BackupRecord, depth: (typeof depths)[number]): Promise<readonly string[]> =>
  (await runVerification(t, backup.id, depth)).findings.map(({ object, problem }) => `${problem} ${object}`);
const manifestOf = async (backup: BackupRecord) => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  open.close();
  return open.archive.manifest;
};

test('filters: every chunk of a chain has one, the next link lists those of the chunks that it keeps, and all of them are verified', async () => {
  deepEqual([filtersOf(full).length, filtersOf(next).length], [3, 3]);
  const { filters = [], objects } = await manifestOf(next);
  equal(filters.length, 6);
  equal(filters.filter(({ backup }) => backup === full.archive.backup).length, 3);
  for (const backup of [full, next]) for (const depth of depths) deepEqual(await findings(backup, depth), []);
  equal((await runVerification(t, next.id, 'full')).objects, objects.length + filters.length + 3);
});

test('filters: a verification finds one that is missing, empty, damaged or exchanged with another one', async () => {
  const { objects } = t.storeOf(full);
  const [one = '', two = ''] = filtersOf(full);
  const [first, second] = [objects.get(one)!, objects.get(two)!];
  objects.delete(one);
  for (const depth of depths) deepEqual(await findings(full, depth), [`missing ${one}`]);
  objects.set(one, new Uint8Array());
  for (const depth of depths) deepEqual(await findings(full, depth), [`size ${one}`]);
  for (const at of [0, 0.1, 0.5, 0.999]) {
    const damaged = Buffer.from(first);
    const position = Math.floor(damaged.length * at);
    damaged[position] = damaged[position]! ^ 1;
    objects.set(one, damaged);
    deepEqual(await findings(full, 'full'), [`corrupt ${one}`], String(at));
  }
  // As long as the one that it takes the place of, so that only its contents tell.
  const { length } = first;
  objects.set(one, Buffer.concat([second, Buffer.alloc(length)]).subarray(0, length));
  deepEqual(await findings(full, 'full'), [`corrupt ${one}`]);
  objects.set(one, second);
  objects.set(two, first);
  const exchanged = await findings(full, 'full');
  deepEqual(
    exchanged.map((finding) => finding.replace(/^size|^corrupt/, 'wrong')),
    [`wrong ${one}`, `wrong ${two}`],
  );
});

test('filters: a full verification of the next link reads those that it has of an earlier one', async () => {
  const { objects } = t.storeOf(full);
  const [name = ''] = filtersOf(full);
  const bytes = objects.get(name)!;
  const damaged = Buffer.from(bytes);
  damaged[damaged.length >> 1] = damaged[damaged.length >> 1]! ^ 1;
  objects.set(name, damaged);
  const object = `${full.archive.backup}/${name}`;
  deepEqual([await findings(next, 'structure'), await findings(next, 'full')], [[], [`corrupt ${object}`]]);
  objects.delete(name);
  for (const depth of depths) deepEqual(await findings(next, depth), [`missing ${object}`]);
  objects.set(name, bytes);
  deepEqual(await findings(next, 'full'), []);
});

test('filters: the size of a backup counts them, and no object of a deleted or expired one stays', async () => {
  for (const backup of [next, full]) {
    const { objects } = t.storeOf(backup);
    equal(
      backup.size,
      [...objects.values()].reduce((sum, { length }) => sum + length, 0),
    );
    const listed = storedObjects(await manifestOf(backup)).filter((entry) => entry.backup === backup.archive.backup);
    deepEqual([...objects.keys()].sort(), ['key', 'manifest', ...listed.map(({ name }) => name)].sort());
  }
  for (const [backup, status] of [
    [next, 'deleted'],
    [full, 'expired'],
  ] as const) {
    t.table.put({ ...t.backupOf(backup.id), ...backupKey.backup(t.tenant, backup.id), status });
    await eraseBackup(t.tenant, { backupId: backup.id, open: t.deps.openStore });
    equal(t.storeOf(backup).objects.size, 0);
    // Those of the chunks that another backup is built on are its own.
    if (backup === next) equal(filtersOf(full).length, 3);
  }
});

test('filters: neither a backup that fails nor an interrupted worker leaves one behind', async () => {
  const failing = await t.startBackup({ collections });
  faulty(t, (operation, name) =>
    operation === 'put' && name === 'manifest' ? new StorageError('denied', 'The store refused (403).') : undefined,
  );
  await t.runBackup(failing);
  const { status, path } = t.backupOf(failing);
  deepEqual([status, t.stores.get(path)!.objects.size], ['failed', 0]);

  let faults = 0;
  const interrupted = await t.startBackup({ collections });
  faulty(t, (operation, name) =>
    // The filter is stored already when its index fails.
    operation === 'finish' && name.startsWith('index/') && faults++ < 2
      ? new StorageError('unavailable', 'The store did not respond (503).')
      : undefined,
  );
  await t.runBackup(interrupted);
  const backup = t.backupOf(interrupted);
  const listed = storedObjects(await manifestOf(backup)).map(({ name }) => name);
  ok(faults > 2 && listed.some((name) => name.startsWith('filter/')));
  deepEqual([...t.storeOf(backup).objects.keys()].sort(), ['key', 'manifest', ...listed].sort());
  deepEqual(await findings(backup, 'full'), []);
});

test('filters: what follows after the fields have changed is searched by each chunk as it was written', async () => {
  nameSearchFields(t, ['padding']);
  await t.put({ 'a/p150': person('changed') });
  const last = await takeLink(t, { collections });
  equal(last.type, 'incremental');
  const find = async (email: string) => {
    const { matches, plan } = await searchIn(t, `email == "${email}@example.com"`, { backupId: last.id });
    return { paths: matches.map(({ path }) => path), isIndexed: plan.indexed };
  };
  deepEqual(await find('c7new'), { paths: ['c/p107'], isIndexed: true });
  deepEqual(await find('changed'), { paths: ['a/p150'], isIndexed: true });
  deepEqual(await find('a50'), { paths: [], isIndexed: true });
  deepEqual(await findings(last, 'full'), []);
});

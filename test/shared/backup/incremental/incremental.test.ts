/** An incremental backup: what it writes, what it leaves where it lies, and what it does about a parent that is not whole. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { type BackupRecord, backupKey, openArchive } from '../../../../shared/backup/index.ts';
import { type Fields, newReadingWorld, put, type ReadingWorld, recordOf, storeOf } from '../../../harness/env/archive-env.ts';
import { contents, server, table, tenant } from '../../../harness/env/backup-env.ts';
import { copyInHaste, makeLink, readLink } from '../../../harness/env/chain-links.ts';

afterAll(() => server.stop());

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const many = (count: number, letters: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`m/${String(n).padStart(4, '0')}`, text('x'.repeat(letters))]));

const objectsOf = async (world: ReadingWorld, backup: BackupRecord): Promise<readonly string[]> => {
  const open = await openArchive(tenant, backup, undefined, world.engine);
  open.close();
  return open.archive.manifest.objects.map(({ backup: id, name }) => (id === backup.archive.backup ? name : `${id} ${name}`));
};

const isWhole = async (world: ReadingWorld, backup: BackupRecord): Promise<void> => {
  deepEqual([backup.status, backup.error, backup.countVerified], ['completed', null, true]);
  deepEqual((await readLink(world, backup)).documents, contents(world));
};

describe('incremental: a backup', () => {
  test('reads the source like a full one and stores the changes', async () => {
    const world = newReadingWorld();
    await put(world, many(200, 400));
    const full = await makeLink(world);
    await put(world, { 'm/0007': text('changed'), 'm/0100': undefined, 'm/0199': undefined, 'a/first': text('new') });
    const next = await makeLink(world);
    await isWhole(world, next);
    const { gone, places } = await readLink(world, next);
    deepEqual(gone, ['m/0100', 'm/0199']);
    deepEqual(
      [...places].filter(([, place]) => place === next.id).map(([path]) => path),
      ['a/first', 'm/0007'],
    );
    deepEqual(await objectsOf(world, next), ['chunk/00000000-0000', 'index/00000000-0000', `${full.id} chunk/00000000-0000`]);
    deepEqual([next.parentBackupId, next.chainLength, next.needs, next.documentCount], [full.id, 1, [full.id], 199]);
    deepEqual([recordOf(full.id).builtUpon, full.needs], [1, undefined]);
    ok(next.reads >= full.reads - 2, 'the source cannot be asked for what has changed');
    const stored = [...storeOf(world, next).objects.values()].reduce((sum, { length }) => sum + length, 0);
    equal(next.size, stored, 'its size is that of its own objects');
  });

  test('of an unchanged source stores an index only', async () => {
    const world = newReadingWorld();
    await put(world, many(50, 20));
    const full = await makeLink(world);
    const same = await makeLink(world);
    await isWhole(world, same);
    deepEqual(await objectsOf(world, same), ['index/00000000-0000', `${full.id} chunk/00000000-0000`]);
    // The next needs what it finds records in, not what it was compared with.
    await put(world, { 'm/0001': undefined });
    deepEqual((await makeLink(world)).needs, [full.id]);
  });

  test('of an emptied source has only tombstones and no dependencies', async () => {
    const world = newReadingWorld();
    await put(world, { 'a/1': text('1'), 'b/1': text('1') });
    await makeLink(world);
    await put(world, { 'a/1': undefined, 'b/1': undefined });
    const empty = await makeLink(world);
    await isWhole(world, empty);
    deepEqual([(await readLink(world, empty)).gone, empty.needs, empty.documentCount], [['a/1', 'b/1'], undefined, 0]);
    const after = await makeLink(world);
    deepEqual([after.status, (await readLink(world, after)).gone], ['completed', []], 'it is told once');
  });

  test('copies all users', async () => {
    const world = newReadingWorld();
    world.users.push({ id: 'ada', json: Buffer.from('{}') });
    await put(world, { 'a/1': text('1') });
    await makeLink(world, {}, { includeAuthUsers: true });
    const next = await makeLink(world, {}, { includeAuthUsers: true });
    deepEqual([next.status, next.authUsers, next.documentCount], ['completed', 1, 1]);
    deepEqual((await objectsOf(world, next)).slice(0, 3), ['chunk/00000000-0000', 'index/00000000-0000', 'index/00000001-0000']);
  });

  test('whose workers hand over after every batch continues after the last name on both sides', async () => {
    const world = newReadingWorld();
    await put(world, many(300, 4_000));
    await makeLink(world);
    const gone = Array.from({ length: 300 }, (_, n) => n).filter((n) => n % 5 === 4 || n > 200);
    const paths = gone.map((n) => `m/${String(n).padStart(4, '0')}`);
    await put(world, { ...Object.fromEntries(paths.map((path) => [path, undefined])), 'm/0001': text('changed') });
    let parts = 0;
    const next = await makeLink(world, {
      afterPlan: async (id) => {
        parts = await copyInHaste(world, id);
      },
    });
    ok(parts > 3, `${parts} parts`);
    await isWhole(world, next);
    deepEqual((await readLink(world, next)).gone, paths);
  });

  test('that was counted late writes the trailing tombstones once', async () => {
    const world = newReadingWorld();
    await put(world, { 'a/1': text('1'), 'z/1': text('1'), 'z/2': text('2') });
    await makeLink(world);
    await put(world, { 'z/1': undefined, 'z/2': undefined });
    const late = () =>
      server.faults.add({ method: 'RunAggregationQuery', project: world.sourceProjectId, status: 'UNAVAILABLE', times: 8 });
    const next = await makeLink(world, { afterPlan: late });
    await isWhole(world, next);
    deepEqual((await readLink(world, next)).gone, ['z/1', 'z/2']);
  });
});

describe('incremental: a parent', () => {
  const damaged = (record: BackupRecord) => [record.damagedDepth, record.verifiedAt];
  const twoLinks = async () => {
    const world = newReadingWorld();
    await put(world, many(200, 4_000));
    const full = await makeLink(world);
    await put(world, { 'm/0050': text('changed') });
    const second = await makeLink(world);
    await put(world, { 'm/0060': undefined });
    return { world, full, second, chunk: storeOf(world, full).objects.get('chunk/00000000-0000')! };
  };

  test('with a damaged leaf is marked as damaged, and its documents are copied again', async () => {
    const { world, full, second, chunk } = await twoLinks();
    // Somewhere in the names of a later leaf.
    const open = await openArchive(tenant, full, undefined, world.engine);
    const segments = await Array.fromAsync(open.archive.segments());
    ok(segments.length > 1);
    chunk[segments.at(-1)!.offset + 20]! ^= 1;
    const healed = await makeLink(world);
    await isWhole(world, healed);
    deepEqual([damaged(recordOf(full.id)), damaged(recordOf(second.id))], Array(2).fill(['full', null]));
    const { places } = await readLink(world, healed);
    ok([...places.values()].includes(full.id) && places.get('m/0199') === healed.id);
    // It still finds records in that chunk.
    const fresh = await makeLink(world);
    deepEqual([fresh.type, fresh.fullBecause], ['full', undefined]);
    equal((await makeLink(world)).parentBackupId, fresh.id);
  });

  test('with a truncated or missing chunk is not inherited from', async () => {
    for (const isGone of [false, true]) {
      const { world, full, chunk } = await twoLinks();
      const { objects } = storeOf(world, full);
      if (isGone) objects.delete('chunk/00000000-0000');
      else objects.set('chunk/00000000-0000', chunk.subarray(0, -1));
      const healed = await makeLink(world);
      await isWhole(world, healed);
      equal(healed.needs?.includes(full.id) ?? false, false);
    }
  });

  test('that cannot be opened makes the backup a full one, with the reason', async () => {
    const { world, second } = await twoLinks();
    storeOf(world, second).objects.delete('manifest');
    const next = await makeLink(world);
    await isWhole(world, next);
    deepEqual([next.type, next.parentBackupId, next.chainLength, next.needs], ['full', null, 0, undefined]);
    match(next.fullBecause!, new RegExp(`${second.id}.* cannot be read`));
    deepEqual(damaged(recordOf(second.id)), ['full', null]);
  });

  test('that does not respond for a while is retried', async () => {
    const { world, second } = await twoLinks();
    let failures = 0;
    const store = storeOf(world, second);
    const get = store.get.bind(store);
    store.get = async (...all) => {
      if (failures++ < 2) throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
      return get(...all);
    };
    const next = await makeLink(world);
    store.get = get;
    await isWhole(world, next);
    deepEqual([next.parentBackupId, recordOf(second.id).damagedDepth], [second.id, undefined]);
  });
});

describe('incremental: after completion', () => {
  const tasks = (kind: string) =>
    table.find('ORG#', 'TASK#').filter(({ message }) => String(message).includes(`"${kind}"`)).length;

  test('a long chain requests a synthetic full', async () => {
    const world = newReadingWorld();
    await put(world, { 'a/1': text('1') });
    await makeLink(world);
    await makeLink(world, {}, { chainLength: 23 });
    equal(tasks('synthesize-full'), 0);
    await makeLink(world, {}, { chainLength: 24 });
    equal(tasks('synthesize-full'), 1);
  });

  test('the schedule gets the outcome, and a limited retention is marked as due', async () => {
    const world = newReadingWorld();
    const scheduleId = 'sch_x';
    const { id } = await makeLink(world, {}, { scheduleId });
    equal(table.find('RETENTION').length, 0);
    const policy = { daily: 1, weekly: 0, monthly: 0, yearly: 0 };
    const kept = await makeLink(world, {}, { scheduleId, retentionPolicy: policy });
    deepEqual([kept.retentionPolicy, tasks('schedule-outcome')], [policy, 2]);
    deepEqual(
      table.find('RETENTION').map(({ sk }) => sk),
      [tenant.organizationId],
    );
    ok(table.get(backupKey.backup(tenant, id)));
  });
});

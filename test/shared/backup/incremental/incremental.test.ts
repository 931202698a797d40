/** Incremental backups: what they store, what they inherit, and how they handle a damaged parent. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { asIncrementalOf } from '../../../../shared/backup/index.ts';
import { type BackupRecord, backupKey, openArchive } from '../../../../shared/stored-backup/index.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';
import { copyBatchByBatch, makeLink, readLink } from '../../../harness/env/chain-links.ts';

const t = await createArchiveEnv();

beforeEach(() => t.reset());

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const many = (count: number, letters: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`m/${String(n).padStart(4, '0')}`, text('x'.repeat(letters))]));

const objectsOf = async (backup: BackupRecord): Promise<readonly string[]> => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  open.close();
  return open.archive.manifest.objects.map(({ backup: id, name }) => (id === backup.archive.backup ? name : `${id} ${name}`));
};

const isWhole = async (backup: BackupRecord): Promise<void> => {
  deepEqual([backup.status, backup.error, backup.countVerified], ['completed', null, true]);
  deepEqual((await readLink(t, backup)).documents, t.contents());
};

describe('incremental: a backup', () => {
  test('reads the source like a full one and stores the changes', async () => {
    await t.put(many(200, 400));
    const full = await makeLink(t);
    await t.put({ 'm/0007': text('changed'), 'm/0100': undefined, 'm/0199': undefined, 'a/first': text('new') });
    const next = await makeLink(t);
    await isWhole(next);
    const { deleted, archives } = await readLink(t, next);
    deepEqual(deleted, ['m/0100', 'm/0199']);
    deepEqual(
      [...archives].filter(([, archive]) => archive === next.id).map(([path]) => path),
      ['a/first', 'm/0007'],
    );
    deepEqual(await objectsOf(next), ['chunk/00000000-0000', 'index/00000000-0000', `${full.id} chunk/00000000-0000`]);
    deepEqual([next.parentBackupId, next.chainLength, next.needs, next.documentCount], [full.id, 1, [full.id], 199]);
    deepEqual([t.backupOf(full.id).builtUpon, full.needs], [1, undefined]);
    ok(next.reads >= full.reads - 2, 'the source cannot be asked for what has changed');
    const stored = [...t.storeOf(next).objects.values()].reduce((sum, { length }) => sum + length, 0);
    equal(next.size, stored, 'its size is that of its own objects');
  });

  test('of an unchanged source stores an index only', async () => {
    await t.put(many(50, 20));
    const full = await makeLink(t);
    const same = await makeLink(t);
    await isWhole(same);
    deepEqual(await objectsOf(same), ['index/00000000-0000', `${full.id} chunk/00000000-0000`]);
    // The next link depends on the archives that store its records, not on the one it was compared with.
    await t.put({ 'm/0001': undefined });
    deepEqual((await makeLink(t)).needs, [full.id]);
  });

  test('of a named collection that no longer exists fails instead of recording that all of it was deleted', async () => {
    await t.put({ 'a/1': text('one'), 'b/1': text('two') });
    const full = await makeLink(t, {}, { collections: ['a'] });
    await t.put({ 'a/1': undefined });
    const next = await makeLink(t, {}, { collections: ['a'], ...asIncrementalOf(full) });
    deepEqual([next.status, next.error?.code], ['failed', 'COLLECTION_NOT_FOUND']);
  });

  test('of an emptied source has only tombstones and no dependencies', async () => {
    await t.put({ 'a/1': text('1'), 'b/1': text('1') });
    await makeLink(t);
    await t.put({ 'a/1': undefined, 'b/1': undefined });
    const empty = await makeLink(t);
    await isWhole(empty);
    deepEqual([(await readLink(t, empty)).deleted, empty.needs, empty.documentCount], [['a/1', 'b/1'], undefined, 0]);
    const after = await makeLink(t);
    deepEqual([after.status, (await readLink(t, after)).deleted], ['completed', []], 'it is reported once');
  });

  test('copies all users', async () => {
    t.users.push({ id: 'ada', json: Buffer.from('{}') });
    await t.put({ 'a/1': text('1') });
    await makeLink(t, {}, { includeAuthUsers: true });
    const next = await makeLink(t, {}, { includeAuthUsers: true });
    deepEqual([next.status, next.authUsers, next.documentCount], ['completed', 1, 1]);
    deepEqual((await objectsOf(next)).slice(0, 3), ['chunk/00000000-0000', 'index/00000000-0000', 'index/00000001-0000']);
  });

  test('whose workers hand over after every batch continues after the last name on both sides', async () => {
    await t.put(many(300, 4_000));
    await makeLink(t);
    const deleted = Array.from({ length: 300 }, (_, n) => n).filter((n) => n % 5 === 4 || n > 200);
    const paths = deleted.map((n) => `m/${String(n).padStart(4, '0')}`);
    await t.put({ ...Object.fromEntries(paths.map((path) => [path, undefined])), 'm/0001': text('changed') });
    let parts = 0;
    const next = await makeLink(t, {
      afterPlan: async (id) => {
        parts = await copyBatchByBatch(t, id);
      },
    });
    ok(parts > 3, `${parts} parts`);
    await isWhole(next);
    deepEqual((await readLink(t, next)).deleted, paths);
  });

  test('that was counted late writes the trailing tombstones once', async () => {
    await t.put({ 'a/1': text('1'), 'z/1': text('1'), 'z/2': text('2') });
    await makeLink(t);
    await t.put({ 'z/1': undefined, 'z/2': undefined });
    const late = () =>
      t.server.faults.add({ method: 'RunAggregationQuery', project: t.sourceProjectId, status: 'UNAVAILABLE', times: 8 });
    const next = await makeLink(t, { afterPlan: late });
    await isWhole(next);
    deepEqual((await readLink(t, next)).deleted, ['z/1', 'z/2']);
  });
});

describe('incremental: a parent', () => {
  const damaged = (record: BackupRecord) => [record.damagedDepth, record.verifiedAt];
  const twoLinks = async () => {
    t.reset();
    await t.put(many(200, 4_000));
    const full = await makeLink(t);
    await t.put({ 'm/0050': text('changed') });
    const second = await makeLink(t);
    await t.put({ 'm/0060': undefined });
    return { full, second, chunk: t.storeOf(full).objects.get('chunk/00000000-0000')! };
  };

  test('with a damaged leaf is marked as damaged, and its documents are copied again', async () => {
    const { full, second, chunk } = await twoLinks();
    // In the names of a later leaf.
    const open = await openArchive(t.tenant, { backup: full, deps: t.deps });
    const segments = await Array.fromAsync(open.archive.segments());
    ok(segments.length > 1);
    chunk[segments.at(-1)!.offset + 20]! ^= 1;
    const healed = await makeLink(t);
    await isWhole(healed);
    deepEqual([damaged(t.backupOf(full.id)), damaged(t.backupOf(second.id))], Array(2).fill(['full', null]));
    const { archives } = await readLink(t, healed);
    ok([...archives.values()].includes(full.id) && archives.get('m/0199') === healed.id);
    // It still has records in that chunk.
    const fresh = await makeLink(t);
    deepEqual([fresh.type, fresh.fullBecause], ['full', undefined]);
    equal((await makeLink(t)).parentBackupId, fresh.id);
  });

  test('with a truncated or missing chunk is not inherited from', async () => {
    for (const isGone of [false, true]) {
      const { full, chunk } = await twoLinks();
      const { objects } = t.storeOf(full);
      if (isGone) objects.delete('chunk/00000000-0000');
      else objects.set('chunk/00000000-0000', chunk.subarray(0, -1));
      const healed = await makeLink(t);
      await isWhole(healed);
      equal(healed.needs?.includes(full.id) ?? false, false);
    }
  });

  test('that cannot be opened makes the backup a full one, with the reason', async () => {
    const { second } = await twoLinks();
    t.storeOf(second).objects.delete('manifest');
    const next = await makeLink(t);
    await isWhole(next);
    deepEqual([next.type, next.parentBackupId, next.chainLength, next.needs], ['full', null, 0, undefined]);
    match(next.fullBecause!, new RegExp(`${second.id}.* cannot be read`));
    deepEqual(damaged(t.backupOf(second.id)), ['full', null]);
  });

  test('that does not respond for a while is retried', async () => {
    const { second } = await twoLinks();
    let failures = 0;
    const store = t.storeOf(second);
    const get = store.get.bind(store);
    store.get = async (...all) => {
      if (failures++ < 2) throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
      return get(...all);
    };
    const next = await makeLink(t);
    store.get = get;
    await isWhole(next);
    deepEqual([next.parentBackupId, t.backupOf(second.id).damagedDepth], [second.id, undefined]);
  });
});

describe('incremental: after completion', () => {
  const tasks = (kind: string) =>
    t.table.find('ORG#', 'TASK#').filter(({ message }) => String(message).includes(`"${kind}"`)).length;

  test('a long chain requests a synthetic full', async () => {
    await t.put({ 'a/1': text('1') });
    await makeLink(t);
    await makeLink(t, {}, { chainLength: 23 });
    equal(tasks('synthesize-full'), 0);
    await makeLink(t, {}, { chainLength: 24 });
    equal(tasks('synthesize-full'), 1);
  });

  test('the schedule gets the outcome, and a limited retention is marked as due', async () => {
    const scheduleId = 'sch_x';
    const { id } = await makeLink(t, {}, { scheduleId });
    equal(t.table.find('RETENTION').length, 0);
    const policy = { daily: 1, weekly: 0, monthly: 0, yearly: 0 };
    const kept = await makeLink(t, {}, { scheduleId, retentionPolicy: policy });
    deepEqual([kept.retentionPolicy, tasks('schedule-outcome')], [policy, 2]);
    deepEqual(
      t.table.find('RETENTION').map(({ sk }) => sk),
      [t.tenant.organizationId],
    );
    ok(t.table.get(backupKey.backup(t.tenant, id)));
  });
});

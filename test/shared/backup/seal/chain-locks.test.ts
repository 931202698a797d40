/** A chain is only as safe as its oldest link: a new link extends the locks of everything it needs, and says what the store reports. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, test } from 'vitest';
import { storedObjects } from '../../../../shared/archive/index.ts';
import { MemoryStore, StorageError } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, after as later } from '../../../../shared/platform/index.ts';
import { type BackupRecord, openArchive, startVerification, verifyBackup } from '../../../../shared/stored-backup/index.ts';
import { backupData } from '../../../../shared/stored-backup/model/backup-view.ts';
import { ChainLocks } from '../../../../shared/stored-backup/model/chain-locks.ts';
import { chance } from '../../../harness/builders/sample-archive.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';
import { makeLink, readLink } from '../../../harness/env/chain-links.ts';
import { runVerification } from '../../../harness/env/run-verification.ts';
import { nameSearchFields } from '../../../harness/env/search-fields.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const t = await createArchiveEnv();
const text = (stringValue: string): Fields => ({ text: { stringValue } });
beforeEach(() => t.reset());

const lockFor = (days: number | null): void => {
  const key = organizationKey.storageDestination(t.tenant, t.destinationId);
  t.table.put({ ...t.table.get(key)!, objectLock: days === null ? null : { mode: 'governance', days } });
};

const link = async (days: number | null, name: string, value = name.padEnd(600_000, 'x')): Promise<BackupRecord> => {
  lockFor(days);
  await t.put({ [`a/${name}`]: text(value) });
  const backup = await makeLink(t);
  equal(backup.status, 'completed', JSON.stringify(backup.error));
  return backup;
};

/** Every object the backup needs, with its lock: `archive name`. */
const neededBy = async (backup: BackupRecord, links: readonly BackupRecord[]): Promise<ReadonlyMap<string, Date | undefined>> => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  const { manifest } = open.archive;
  open.close();
  const own = ['key', 'manifest'].map((name) => ({ backup: backup.archive.backup, name }));
  const keys = (backup.needs ?? []).map((archive) => ({ backup: archive, name: 'key' }));
  const storeOf = (archive: string) => t.storeOf(links.find((one) => one.archive.backup === archive)!);
  return new Map(
    [...storedObjects(manifest), ...own, ...keys].map((one) => [
      `${one.backup} ${one.name}`,
      storeOf(one.backup).locks.get(one.name),
    ]),
  );
};
const audited = () => t.table.find('AUDIT#').filter(({ action }) => action === 'backup.lock_incomplete').length;

test('chain locks: every object that the newest link needs is locked as long as the link itself, no other one', async () => {
  const links = [await link(1, 'one'), await link(5, 'two'), await link(9, 'three')];
  const [first, second, newest] = links as [BackupRecord, BackupRecord, BackupRecord];
  const locks = await neededBy(newest, links);
  ok(locks.size >= 8 && newest.needs?.length === 2, 'no chain');
  for (const [name, lock] of locks) ok(lock && lock.toISOString() >= newest.lockedUntil!, name);
  const earliest = [...locks.values()].map((lock) => lock!.toISOString()).sort()[0];
  equal(newest.immutableUntil, earliest);
  equal(backupData(newest).immutableUntil, earliest);
  // A link that nothing builds on keeps its own end, and so do objects that only an earlier link needs.
  for (const one of [first, second]) {
    const own = t.storeOf(one).locks.get('manifest')!;
    ok(own.getTime() - Date.parse(one.lockedUntil!) < 1_000 && own.toISOString() < newest.lockedUntil!);
    equal(t.backupOf(one.id).immutableUntil, own.toISOString());
  }
  deepEqual([newest.lockProblem, audited()], [undefined, 0]);
});

test('chain locks: filters are locked and extended like the chunks that they are of', async () => {
  nameSearchFields(t, ['text']);
  const random = chance('locked filters');
  const links: BackupRecord[] = [];
  for (const days of [1, 9]) links.push(await link(days, `after${days}`, random(100_000).toString('hex')));
  const [first, newest] = links as [BackupRecord, BackupRecord];
  const locks = [...(await neededBy(newest, links))].filter(([name]) => name.includes(' filter/'));
  deepEqual(
    locks.map(([name]) => name.split(' ')[0]),
    [newest, first].map(({ archive }) => archive.backup),
  );
  for (const [name, lock] of locks) ok(lock && lock.toISOString() >= newest.lockedUntil!, name);
  // The end that the record states is also that of the filters.
  for (const [name] of t.storeOf(first).locks) if (name.startsWith('filter/')) t.storeOf(first).locks.delete(name);
  const { status, findings } = await runVerification(t, newest.id, 'structure');
  deepEqual([status, t.backupOf(newest.id).immutableUntil, findings.length > 0], ['passed', null, true]);
});

test('chain locks: without object lock nothing is locked, and nothing is claimed', async () => {
  const backup = await link(null, 'one');
  deepEqual([backup.lockedUntil, backup.immutableUntil, backupData(backup).lockProblem], [null, null, undefined]);
  equal(t.storeOf(backup).locks.size, 0);
});

test('chain locks: a store that refuses the extension gives the true, earlier end and the reason', async () => {
  const first = await link(1, 'one');
  t.wrapStore = (inner) => ({
    ...bound(inner),
    extendLock: async (name, state, { until }) => {
      if (state.lockedUntil !== undefined && state.lockedUntil >= until) return state.lockedUntil;
      throw new StorageError('denied', `The store refused to extend the lock of an object (403 ${name}).`);
    },
  });
  const newest = await link(5, 'two');
  equal(newest.immutableUntil, t.storeOf(first).locks.get('key')!.toISOString());
  ok(newest.immutableUntil! < newest.lockedUntil!);
  ok(
    /^The lock of \d+ objects that the backup needs ends earlier than its own: The store refused/.test(
      newest.lockProblem!.reason,
    ),
  );
  deepEqual([backupData(newest).lockProblem, audited()], [newest.lockProblem, 1]);
  deepEqual((await readLink(t, newest)).documents, t.contents());
});

test('chain locks: a store that does not report locks yields null and the reason', async () => {
  t.wrapStore = (inner) => ({
    ...bound(inner),
    head: async (name) => {
      const { size, checksums } = (await inner.head(name)) ?? {};
      return size === undefined ? undefined : { size, checksums };
    },
    extendLock: async () => undefined,
  });
  const backup = await link(5, 'one');
  equal(backup.immutableUntil, null);
  ok(/^The store reports no lock of \d+ objects/.test(backup.lockProblem!.reason));
});

test('chain locks: an interrupted extension continues with the objects that are left', async () => {
  await link(1, 'one');
  await link(1, 'two');
  const extended: string[] = [];
  let failures = 0;
  t.wrapStore = (inner) => ({
    ...bound(inner),
    extendLock: async (name, state, { until }) => {
      if (state.lockedUntil !== undefined && state.lockedUntil >= until) return state.lockedUntil;
      if (extended.length >= 1 && failures++ < 3) throw new StorageError('unavailable', 'The store did not respond (503).');
      extended.push(name);
      return inner.extendLock(name, state, { until });
    },
  });
  lockFor(5);
  await t.put({ 'a/three': text('three') });
  const errors: string[] = [];
  const newest = await makeLink(t, { onError: (step) => errors.push(step) });
  equal(newest.status, 'completed', JSON.stringify(newest.error));
  ok(errors.length > 0, 'the step was not interrupted');
  ok(newest.immutableUntil! >= newest.lockedUntil!);
  // Two chunks and two keys of earlier links, each once.
  equal(extended.length, 4);
});

test('verify: a lock that was shortened is found, and the record says what the store says', async () => {
  const links = [await link(9, 'one'), await link(9, 'two')];
  const newest = links[1]!;
  const verify = async (depth: 'structure' | 'sample' | 'full') => {
    await commit(startVerification(t.tenant, { backup: t.backupOf(newest.id), depth, now: t.clock.now() }).change.writes);
    await verifyBackup(t.tenant, { backupId: newest.id, position: null, deadline: later(t.clock.now(), 600), deps: t.deps });
    const { verification, immutableUntil, lockProblem, verifiedAt } = t.backupOf(newest.id);
    const { status, findings } = verification!;
    return {
      status,
      findings: findings.map(({ problem, object }) => `${problem} ${object}`),
      immutableUntil,
      lockProblem,
      verifiedAt,
    };
  };
  const before = newest.immutableUntil!;
  deepEqual((await verify('full')).findings, []);
  // A record of an earlier version says nothing until it is verified.
  const { immutableUntil: _, ...earlier } = t.backupOf(newest.id);
  t.table.put(earlier);
  deepEqual([(await verify('structure')).findings, t.backupOf(newest.id).immutableUntil], [[], before]);
  const inherited = `${links[0]!.archive.backup}/chunk/00000000-0000`;
  const shortened = new Date(Date.parse(before) - 24 * 3_600_000);
  t.storeOf(links[0]!).locks.set('chunk/00000000-0000', shortened);
  const found = await verify('structure');
  deepEqual([found.status, found.findings, found.immutableUntil], ['passed', [`unlocked ${inherited}`], shortened.toISOString()]);
  deepEqual([found.lockProblem?.reason.slice(0, 22), audited()], ['The lock of one object', 1]);
  ok(found.verifiedAt);
  const again = await verify('sample');
  deepEqual([again.findings, again.immutableUntil, audited()], [[], shortened.toISOString(), 1]);
  equal(again.lockProblem?.since, found.lockProblem?.since);
  t.storeOf(links[0]!).locks.delete('key');
  const gone = await verify('structure');
  deepEqual([gone.findings, gone.immutableUntil], [[`unlocked ${links[0]!.archive.backup}/key`], null]);
});

test('chain locks: memory does not grow with the number of objects', async () => {
  const store = new MemoryStore();
  const locks = new ChainLocks('2030-01-01T00:00:00.000Z');
  const state = { size: 1, lockedUntil: new Date('2031-01-01T00:00:00Z') };
  store.extendLock = async () => state.lockedUntil;
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  const heap = process.memoryUsage().heapUsed;
  for (let n = 0; n < 200_000; n++) await locks.extend(store, 'object', state);
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - heap;
  ok(grown < 4 << 20, `${grown} bytes`);
  deepEqual(locks.result, { immutableUntil: '2031-01-01T00:00:00.000Z' });
});

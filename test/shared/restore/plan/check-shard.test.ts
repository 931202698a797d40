/** Before its first write, a restore has saved exactly the documents that it will touch. */
import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
import { describe, test } from 'vitest';
import type { EventData } from '../../../../shared/contract/events/event-catalogue.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { compareTextNames } from '../../../../shared/firestore/index.ts';
import { commit, after as later, set } from '../../../../shared/platform/index.ts';
import type { PlanCounts, RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { checkShard } from '../../../../shared/restore/plan/check-shard.ts';
import { sealJournal } from '../../../../shared/restore/seal/seal-journal.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { prepareRestore } from '../../../../shared/restore/steps/prepare-restore.ts';
import { type BackupRecord, browseBackup, startVerification, verifyBackup } from '../../../../shared/stored-backup/index.ts';
import { absent, backUpShop, changed, extra, outside, same, text } from '../../../harness/builders/sample-shop.ts';
import { createRestoreEnv, firstRestoreStep, type RestoreInput } from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const t = await createRestoreEnv();

const inOrder = (paths: readonly string[]): readonly string[] => paths.toSorted(compareTextNames);

/** All steps before the first write. */
const sealed = async (backup: BackupRecord, ask: RestoreInput = {}): Promise<RestoreRecord> => {
  t.server.faults.resetCalls();
  const id = await t.startRestore(backup, ask);
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
  equal(t.writesSent(), 0);
  return t.restoreOf(id);
};

const counts = (more: Partial<PlanCounts>): PlanCounts => ({
  create: 0,
  overwrite: 0,
  skip: 0,
  delete: 0,
  unchanged: 0,
  ...more,
});

const modes = {
  overwrite: {
    touched: [...changed, ...absent],
    plan: counts({ create: absent.length, overwrite: changed.length, unchanged: same.length }),
  },
  merge: {
    touched: [...changed, ...absent],
    plan: counts({ create: absent.length, overwrite: changed.length, unchanged: same.length }),
  },
  skip_existing: { touched: absent, plan: counts({ create: absent.length, skip: same.length + changed.length }) },
  rollback: {
    touched: [...changed, ...absent, ...extra],
    plan: counts({ create: absent.length, overwrite: changed.length, delete: extra.length, unchanged: same.length }),
  },
} as const;

describe('the journal', () => {
  for (const [mode, { touched, plan }] of Object.entries(modes))
    test(`of ${mode} contains exactly what will be touched, byte for byte, and tombstones for missing documents`, async () => {
      const backup = await backUpShop(t);
      const live = t.documentsIn();
      const restore = await sealed(backup, { mergeMode: mode as RestoreRecord['mergeMode'] });
      deepEqual(restore.plan, plan);
      const entries = await t.journalOf(restore.id);
      deepEqual([...entries.keys()], inOrder(touched));
      for (const [path, { kind, content }] of entries)
        deepEqual([path, kind, content], live.has(path) ? [path, 'document', live.get(path)] : [path, 'tombstone', '']);
    });

  test('of several shards is one archive in the order of names', async () => {
    const backup = await backUpShop(t);
    const live = t.documentsIn();
    const id = await t.startRestore(backup, { mergeMode: 'rollback' });
    await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
    const [shard] = t.shardsOf(id);
    const bounds = [{ to: 'c/1' }, { from: 'c/1', to: 'c/extra/deep/1' }, { from: 'c/extra/deep/1', to: 'e/1' }, { from: 'e/1' }];
    for (const [number, range] of bounds.entries())
      t.table.put({ ...shard, ...restoreKey.shard(t.tenant, id, number), number, range: JSON.stringify(range), expected: 3 });
    await commit([set(restoreKey.restore(t.tenant, id), { shards: bounds.length, expected: 3 * bounds.length })]);
    // In any order.
    for (const number of [2, 0, 3, 1]) {
      await rejects(sealJournal({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps), /is not checked/);
      equal(
        await checkShard(
          { tenant: t.tenant, restoreJobId: id, attempt: 1, shard: number, handOver: later(t.clock.now(), 600) },
          t.deps,
        ),
        true,
      );
    }
    await sealJournal({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
    const entries = await t.journalOf(id);
    deepEqual([...entries.keys()], inOrder(modes.rollback.touched));
    for (const [path, { kind, content }] of entries) equal(content, kind === 'tombstone' ? '' : live.get(path), path);
    deepEqual(t.restoreOf(id).plan, modes.rollback.plan);
  });

  test('is started over by the next attempt, whatever the previous one stored', async () => {
    const backup = await backUpShop(t);
    const id = await t.startRestore(backup, { mergeMode: 'rollback' });
    t.wrapStore = (store) => ({
      ...bound(store),
      put: async () => {
        throw new StorageError('denied', 'The destination does not want it');
      },
    });
    const { journal: first, status } = await t.runRestore(id);
    equal(status, 'failed');
    t.wrapStore = (store) => store;
    // Meanwhile the target has changed.
    await t.putTarget({ 'a/new': text('new'), 'e/0': text('new'), 'c/0': undefined });
    const live = t.documentsIn();
    await commit((await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now())).change.writes);
    await t.resumeRestore(id, firstRestoreStep(2), { upTo: 'seal' });
    const { journal, plan } = t.restoreOf(id);
    notEqual(journal.backupId, first.backupId);
    const entries = await t.journalOf(id);
    deepEqual([...entries.keys()], inOrder([...modes.rollback.touched, 'a/new']));
    for (const [path, { kind, content }] of entries)
      deepEqual([kind, content], live.has(path) ? ['document', live.get(path)] : ['tombstone', '']);
    deepEqual(plan, { ...modes.rollback.plan, delete: extra.length + 1 });
    deepEqual([...t.folderOf(first.path).objects.keys()], []);
    equal(t.events('restore.started').length, 2);
  });

  test('of a restore without a safety backup contains names only, has no key file, and is no backup', async () => {
    const backup = await backUpShop(t);
    const restore = await sealed(backup, { mergeMode: 'rollback', safetyBackup: false });
    const entries = await t.journalOf(restore.id);
    deepEqual([...entries.keys()], inOrder(modes.rollback.touched));
    deepEqual(new Set([...entries.values()].map(({ kind }) => kind)), new Set(['tombstone']));
    equal(restore.safetyBackupId, undefined);
    equal(t.backupOf(restore.journal.backupId), undefined);
    ok(!t.folderOf(restore.journal.path).objects.has('key'));
    equal(t.organization.backupCount, 1);
  });

  test('is not written if nothing will be touched', async () => {
    const backup = await backUpShop(t);
    await t.putTarget(Object.fromEntries(liveNames()));
    const restore = await sealed(backup, { documents: ['a/1', 'a/2'], mergeMode: 'skip_existing' });
    deepEqual(restore.plan, counts({ skip: 2 }));
    equal(restore.safetyBackupId, undefined);
    notEqual(restore.sealedAt, undefined);
    deepEqual([...(t.folderOf(restore.journal.path)?.objects.keys() ?? [])], []);
    deepEqual(await sealJournal({ tenant: t.tenant, restoreJobId: restore.id, attempt: 1 }, t.deps), { writes: false });
  });

  test('is not written for a dry run', async () => {
    const backup = await backUpShop(t);
    const restore = await sealed(backup, { mergeMode: 'rollback', dryRun: true });
    deepEqual(restore.plan, modes.rollback.plan);
    deepEqual([restore.safetyBackupId, restore.phase], [undefined, 'Validating']);
    deepEqual([...(t.folderOf(restore.journal.path)?.objects.keys() ?? [])], []);
    deepEqual(await sealJournal({ tenant: t.tenant, restoreJobId: restore.id, attempt: 1 }, t.deps), { writes: false });
  });
});

const liveNames = (): readonly (readonly [string, ReturnType<typeof text>])[] =>
  outside.map((path) => [path, text(t.sourceProjectId)] as const);

describe('the safety backup', () => {
  test('is a completed backup of the target once sealed: counted, held, and referenced by the restore', async () => {
    const backup = await backUpShop(t);
    const restore = await sealed(backup, { mergeMode: 'rollback' });
    const saved = [...changed, ...extra];
    const safety = t.backupOf(restore.safetyBackupId!);
    deepEqual(
      [safety.id, safety.projectId, safety.status, safety.trigger, safety.documentCount, safety.type],
      [restore.journal.backupId, t.targetId, 'completed', 'safety', saved.length, 'full'],
    );
    deepEqual([safety.collections, safety.restoring, safety.path], [['*'], 1, `${t.targetId}/${safety.id}`]);
    const reported = t.events('backup.completed').map(({ data }) => (data as EventData<'backup.completed'>).backup);
    deepEqual(
      reported.filter(({ id }) => id === safety.id).map(({ trigger, projectId: of }) => [trigger, of]),
      [['safety', t.targetId]],
    );
    const started = t.events('backup.started').map(({ data }) => (data as EventData<'backup.started'>).backup);
    deepEqual(
      started.filter(({ id }) => id === safety.id).map(({ status, trigger }) => [status, trigger]),
      [['running', 'safety']],
    );
    equal(safety.safetyOf, restore.id);
    deepEqual(Object.fromEntries(safety.collectionCounts), { c: 3, deep: 2, a: 1 });
    const { objects } = t.folderOf(restore.journal.path);
    equal(
      safety.size,
      [...objects.values()].reduce((sum, { length }) => sum + length, 0),
    );
    deepEqual([objects.get('key') && Buffer.from(objects.get('key')!), objects.has('manifest')], [safety.keyFile, true]);
    const { backupCount, storageUsed } = t.organization;
    deepEqual([backupCount, storageUsed], [2, backup.size + safety.size]);
    equal(t.table.get({ pk: `ORG#${t.tenant.organizationId}`, sk: `DESTINATION#${t.destinationId}` })?.backupCount ?? 2, 2);
    ok(t.table.find('ORG#', `ARCHIVE#${safety.id}#${safety.id}`).length === 1);
  });

  test('can be verified to its last byte and browsed', async () => {
    const backup = await backUpShop(t);
    const restore = await sealed(backup, { mergeMode: 'rollback' });
    const safety = t.backupOf(restore.safetyBackupId!);
    for (const depth of ['structure', 'sample', 'full'] as const) {
      await commit(startVerification(t.tenant, { backup: t.backupOf(safety.id), depth, now: t.clock.now() }).change.writes);
      let position = null as Awaited<ReturnType<typeof verifyBackup>> | null;
      do
        position =
          (await verifyBackup(t.tenant, {
            backupId: safety.id,
            position: position ?? null,
            deadline: later(new Date(), 60),
            deps: t.deps,
          })) ?? null;
      while (position);
      deepEqual(
        [depth, t.backupOf(safety.id).verification?.status, t.backupOf(safety.id).verification?.findings],
        [depth, 'passed', []],
      );
    }
    deepEqual(await entriesAt(safety, ''), ['a', 'c', 'e']);
    deepEqual(await entriesAt(safety, 'a'), ['a/extra']);
    deepEqual(await entriesAt(safety, 'c'), ['c/0', 'c/1', 'c/2']);
  });
});

const entriesAt = async (backup: BackupRecord, path: string): Promise<readonly string[]> => {
  const query = { path, showMissing: 'false' } as const;
  const { entries } = await browseBackup(t.tenant, { backup, query, page: { limit: 100, after: undefined }, deps: t.deps });
  return entries.map((entry) => entry.path);
};

describe('a shard', () => {
  test('that two workers check at once is committed by one', async () => {
    const backup = await backUpShop(t);
    const id = await t.startRestore(backup, { mergeMode: 'rollback' });
    await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
    const work = (): Promise<boolean> =>
      checkShard({ tenant: t.tenant, restoreJobId: id, attempt: 1, shard: 0, handOver: later(t.clock.now(), 600) }, t.deps);
    let isOvertaken = false;
    t.wrapStore = (store) => ({
      ...bound(store),
      upload: (...all) => {
        const upload = store.upload(...all);
        const finish = async () => {
          // The second worker runs completely while the first one stores its part.
          if (!isOvertaken) {
            isOvertaken = true;
            equal(await work(), true);
          }
          return upload.finish();
        };
        return { ...upload, finish };
      },
    });
    await rejects(work(), { name: 'NotRunning' });
    t.wrapStore = (store) => store;
    await sealJournal({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
    deepEqual([...(await t.journalOf(id)).keys()], inOrder(modes.rollback.touched));
    deepEqual(t.restoreOf(id).plan, modes.rollback.plan);
    // The first worker's objects are deleted.
    equal(t.folderOf(t.restoreOf(id).journal.path).objects.size, 4);
  });

  test('is not changed by a worker of an abandoned attempt', async () => {
    const backup = await backUpShop(t);
    const id = await t.startRestore(backup);
    const { shards } = await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
    t.wrapStore = (store) => ({
      ...bound(store),
      upload: (...all) => {
        const upload = store.upload(...all);
        const finish = async () => {
          // The next attempt starts meanwhile and has reached the same step.
          await commit([set(restoreKey.restore(t.tenant, id), { attempt: 2 })]);
          return upload.finish();
        };
        return { ...upload, finish };
      },
    });
    await rejects(
      checkShard(
        { tenant: t.tenant, restoreJobId: id, attempt: 1, shard: shards[0]!, handOver: later(t.clock.now(), 600) },
        t.deps,
      ),
      { name: 'NotRunning' },
    );
    const [shard] = t.shardsOf(id);
    deepEqual([shard!.parts, shard!.isChecked, shard!.stored], [1, false, undefined]);
    deepEqual(t.table.find('WORK#', 'PART#'), []);
  });

  test('of a cancelled restore is abandoned, and leaves nothing in the bucket', async () => {
    const backup = await backUpShop(t);
    const id = await t.startRestore(backup);
    const { shards } = await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
    const { path } = t.restoreOf(id).journal;
    t.wrapStore = (store, folder) => {
      if (folder === path) t.table.put({ ...t.table.get(restoreKey.restore(t.tenant, id))!, status: 'cancelled' });
      return store;
    };
    await rejects(
      checkShard(
        { tenant: t.tenant, restoreJobId: id, attempt: 1, shard: shards[0]!, handOver: later(t.clock.now(), 600) },
        t.deps,
      ),
      { name: 'NotRunning' },
    );
    deepEqual([...t.folderOf(path).objects.keys()], []);
    await rejects(sealJournal({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps), { name: 'NotRunning' });
    equal(t.restoreOf(id).sealedAt, undefined);
  });
});

test('check: progress events come by tenths, up to half when all is checked, and no tenth twice', async () => {
  const backup = await backUpShop(t);
  const restore = await sealed(backup);
  const reported = t.events('restore.progress').map(({ data }) => (data as { progress: { percent: number } }).progress.percent);
  deepEqual(reported, [10, 20, 30, 40, 50]);
  deepEqual([restore.checked, restore.toldPercent], [restore.expected, 50]);
});

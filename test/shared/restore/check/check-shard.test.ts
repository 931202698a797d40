/** A restore knows what it will touch before it touches anything, and saves exactly that. */
import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { type BackupRecord, browseBackup, startVerification, verifyBackup } from '../../../../shared/backup/index.ts';
import type { EventData } from '../../../../shared/contract/events/event-catalogue.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { compareNames } from '../../../../shared/firestore/index.ts';
import { commit, after as later, set } from '../../../../shared/platform/index.ts';
import { checkShard } from '../../../../shared/restore/check/check-shard.ts';
import type { PlanCounts, RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { sealJournal } from '../../../../shared/restore/seal/seal-journal.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { prepareRestore } from '../../../../shared/restore/steps/prepare-restore.ts';
import { absent, changed, extra, newShop, outside, type Shop, same, text } from '../../../harness/builders/sample-shop.ts';
import {
  atStart,
  backupOf,
  destinationId,
  documentsIn,
  eventsOf,
  folderOf,
  journalOf,
  organizationNow,
  putTarget,
  type RestoreInput,
  restoreOf,
  resumeWorkflow,
  runRestore,
  server,
  shardsOf,
  startTestRestore,
  table,
  targetId,
  tenant,
  writesSent,
} from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

afterAll(() => server.stop());

const inOrder = (paths: readonly string[]): readonly string[] => paths.toSorted(compareNames);

/** All steps before the first write. */
const sealed = async ({ world, backup }: Shop, ask: RestoreInput = {}): Promise<RestoreRecord> => {
  server.faults.resetCalls();
  const id = await startTestRestore(world, backup, ask);
  await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
  equal(writesSent(), 0);
  return restoreOf(id);
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
      const shop = await newShop();
      const live = documentsIn(shop.world);
      const restore = await sealed(shop, { mergeMode: mode as RestoreRecord['mergeMode'] });
      deepEqual(restore.plan, plan);
      const entries = await journalOf(shop.world, restore.id);
      deepEqual([...entries.keys()], inOrder(touched));
      for (const [path, { kind, content }] of entries)
        deepEqual([path, kind, content], live.has(path) ? [path, 'document', live.get(path)] : [path, 'tombstone', '']);
    });

  test('of several shards is one archive in the order of names', async () => {
    const { world, backup } = await newShop();
    const live = documentsIn(world);
    const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
    await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
    const [shard] = shardsOf(id);
    const bounds = [{ to: 'c/1' }, { from: 'c/1', to: 'c/extra/deep/1' }, { from: 'c/extra/deep/1', to: 'e/1' }, { from: 'e/1' }];
    for (const [number, range] of bounds.entries())
      table.put({ ...shard, ...restoreKey.shard(tenant, id, number), number, range: JSON.stringify(range), expected: 3 });
    await commit([set(restoreKey.restore(tenant, id), { shards: bounds.length, expected: 3 * bounds.length })]);
    // In no order.
    for (const number of [2, 0, 3, 1]) {
      await rejects(sealJournal({ tenant, restoreJobId: id, attempt: 1 }, world.engine), /is not checked/);
      equal(
        await checkShard(
          { tenant, restoreJobId: id, attempt: 1, shard: number, handOver: later(world.engine.clock.now(), 600) },
          world.engine,
        ),
        true,
      );
    }
    await sealJournal({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
    const entries = await journalOf(world, id);
    deepEqual([...entries.keys()], inOrder(modes.rollback.touched));
    for (const [path, { kind, content }] of entries) equal(content, kind === 'tombstone' ? '' : live.get(path), path);
    deepEqual(restoreOf(id).plan, modes.rollback.plan);
  });

  test('is started over by the next attempt, whatever the previous one stored', async () => {
    const { world, backup } = await newShop();
    const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
    world.throughReading = (store) => ({
      ...bound(store),
      put: async () => {
        throw new StorageError('denied', 'The destination does not want it');
      },
    });
    const { journal: first, status } = await runRestore(world, id);
    equal(status, 'failed');
    world.throughReading = (store) => store;
    // Meanwhile the target has changed.
    await putTarget(world, { 'a/new': text('new'), 'e/0': text('new'), 'c/0': undefined });
    const live = documentsIn(world);
    await commit((await resumeRestore(tenant, restoreOf(id), world.engine.clock.now())).change.writes);
    await resumeWorkflow(world, id, atStart(2), { upTo: 'seal' });
    const { journal, plan } = restoreOf(id);
    notEqual(journal.backupId, first.backupId);
    const entries = await journalOf(world, id);
    deepEqual([...entries.keys()], inOrder([...modes.rollback.touched, 'a/new']));
    for (const [path, { kind, content }] of entries)
      deepEqual([kind, content], live.has(path) ? ['document', live.get(path)] : ['tombstone', '']);
    deepEqual(plan, { ...modes.rollback.plan, delete: extra.length + 1 });
    deepEqual([...folderOf(world, first.path).objects.keys()], []);
    equal(eventsOf('restore.started').length, 2);
  });

  test('of a restore without a safety backup contains names only, has no key file, and is no backup', async () => {
    const shop = await newShop();
    const restore = await sealed(shop, { mergeMode: 'rollback', safetyBackup: false });
    const entries = await journalOf(shop.world, restore.id);
    deepEqual([...entries.keys()], inOrder(modes.rollback.touched));
    deepEqual(new Set([...entries.values()].map(({ kind }) => kind)), new Set(['tombstone']));
    equal(restore.safetyBackupId, undefined);
    equal(backupOf(restore.journal.backupId), undefined);
    ok(!folderOf(shop.world, restore.journal.path).objects.has('key'));
    equal(organizationNow().backupCount, 1);
  });

  test('is not written if nothing will be touched', async () => {
    const shop = await newShop();
    await putTarget(shop.world, Object.fromEntries(liveNames(shop)));
    const restore = await sealed(shop, { documents: ['a/1', 'a/2'], mergeMode: 'skip_existing' });
    deepEqual(restore.plan, counts({ skip: 2 }));
    equal(restore.safetyBackupId, undefined);
    notEqual(restore.sealedAt, undefined);
    deepEqual([...(folderOf(shop.world, restore.journal.path)?.objects.keys() ?? [])], []);
    deepEqual(await sealJournal({ tenant, restoreJobId: restore.id, attempt: 1 }, shop.world.engine), { writes: false });
  });

  test('is not written for a dry run', async () => {
    const shop = await newShop();
    const restore = await sealed(shop, { mergeMode: 'rollback', dryRun: true });
    deepEqual(restore.plan, modes.rollback.plan);
    deepEqual([restore.safetyBackupId, restore.phase], [undefined, 'Validating']);
    deepEqual([...(folderOf(shop.world, restore.journal.path)?.objects.keys() ?? [])], []);
    deepEqual(await sealJournal({ tenant, restoreJobId: restore.id, attempt: 1 }, shop.world.engine), { writes: false });
  });
});

const liveNames = ({ world }: Shop): readonly (readonly [string, ReturnType<typeof text>])[] =>
  outside.map((path) => [path, text(world.sourceProjectId)] as const);

describe('the safety backup', () => {
  test('is a completed backup of the target once sealed: counted, held, and referenced by the restore', async () => {
    const shop = await newShop();
    const restore = await sealed(shop, { mergeMode: 'rollback' });
    const saved = [...changed, ...extra];
    const safety = backupOf(restore.safetyBackupId!);
    deepEqual(
      [safety.id, safety.projectId, safety.status, safety.trigger, safety.documentCount, safety.type],
      [restore.journal.backupId, targetId, 'completed', 'safety', saved.length, 'full'],
    );
    deepEqual([safety.collections, safety.restoring, safety.path], [['*'], 1, `${targetId}/${safety.id}`]);
    const told = eventsOf('backup.completed').map(({ data }) => (data as EventData<'backup.completed'>).backup);
    deepEqual(
      told.filter(({ id }) => id === safety.id).map(({ trigger, projectId: of }) => [trigger, of]),
      [['safety', targetId]],
    );
    equal(safety.safetyOf, restore.id);
    deepEqual(Object.fromEntries(safety.collectionCounts), { c: 3, deep: 2, a: 1 });
    const { objects } = folderOf(shop.world, restore.journal.path);
    equal(
      safety.size,
      [...objects.values()].reduce((sum, { length }) => sum + length, 0),
    );
    deepEqual([objects.get('key') && Buffer.from(objects.get('key')!), objects.has('manifest')], [safety.keyFile, true]);
    const { backupCount, storageUsed } = organizationNow();
    deepEqual([backupCount, storageUsed], [2, shop.backup.size + safety.size]);
    equal(table.get({ pk: `ORG#${tenant.organizationId}`, sk: `DESTINATION#${destinationId}` })?.backupCount ?? 2, 2);
    ok(table.find('ORG#', `ARCHIVE#${safety.id}#${safety.id}`).length === 1);
  });

  test('can be verified to its last byte and browsed', async () => {
    const shop = await newShop();
    const { world } = shop;
    const restore = await sealed(shop, { mergeMode: 'rollback' });
    const safety = backupOf(restore.safetyBackupId!);
    for (const depth of ['structure', 'sample', 'full'] as const) {
      await commit(startVerification(tenant, backupOf(safety.id), depth, world.engine.clock.now()).change.writes);
      let position = null as Awaited<ReturnType<typeof verifyBackup>> | null;
      do position = (await verifyBackup(tenant, safety.id, position ?? null, later(new Date(), 60), world.engine)) ?? null;
      while (position);
      deepEqual(
        [depth, backupOf(safety.id).verification?.status, backupOf(safety.id).verification?.findings],
        [depth, 'passed', []],
      );
    }
    deepEqual(await entriesAt(world, safety, ''), ['a', 'c', 'e']);
    deepEqual(await entriesAt(world, safety, 'a'), ['a/extra']);
    deepEqual(await entriesAt(world, safety, 'c'), ['c/0', 'c/1', 'c/2']);
  });
});

const entriesAt = async (world: Shop['world'], backup: BackupRecord, path: string): Promise<readonly string[]> => {
  const query = { path, showMissing: 'false' } as const;
  const { entries } = await browseBackup(tenant, backup, query, { limit: 100, after: undefined }, world.engine);
  return entries.map((entry) => entry.path);
};

describe('a shard', () => {
  test('that two workers check at once is committed by one', async () => {
    const { world, backup } = await newShop();
    const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
    await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
    const work = (): Promise<boolean> =>
      checkShard(
        { tenant, restoreJobId: id, attempt: 1, shard: 0, handOver: later(world.engine.clock.now(), 600) },
        world.engine,
      );
    let isOvertaken = false;
    world.throughReading = (store) => ({
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
    world.throughReading = (store) => store;
    await sealJournal({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
    deepEqual([...(await journalOf(world, id)).keys()], inOrder(modes.rollback.touched));
    deepEqual(restoreOf(id).plan, modes.rollback.plan);
    // The first worker's objects are deleted.
    equal(folderOf(world, restoreOf(id).journal.path).objects.size, 4);
  });

  test('is not changed by a worker of an abandoned attempt', async () => {
    const { world, backup } = await newShop();
    const id = await startTestRestore(world, backup);
    const { shards } = await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
    world.throughReading = (store) => ({
      ...bound(store),
      upload: (...all) => {
        const upload = store.upload(...all);
        const finish = async () => {
          // The next attempt begins while this one is at it, and has come just as far.
          await commit([set(restoreKey.restore(tenant, id), { attempt: 2 })]);
          return upload.finish();
        };
        return { ...upload, finish };
      },
    });
    await rejects(
      checkShard(
        { tenant, restoreJobId: id, attempt: 1, shard: shards[0]!, handOver: later(world.engine.clock.now(), 600) },
        world.engine,
      ),
      { name: 'NotRunning' },
    );
    const [shard] = shardsOf(id);
    deepEqual([shard!.parts, shard!.isChecked, shard!.stored], [1, false, undefined]);
    deepEqual(table.find('WORK#', 'PART#'), []);
  });

  test('of a cancelled restore is abandoned, and leaves nothing in the bucket', async () => {
    const { world, backup } = await newShop();
    const id = await startTestRestore(world, backup);
    const { shards } = await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
    const { path } = restoreOf(id).journal;
    world.throughReading = (store, folder) => {
      if (folder === path) table.put({ ...table.get(restoreKey.restore(tenant, id))!, status: 'cancelled' });
      return store;
    };
    await rejects(
      checkShard(
        { tenant, restoreJobId: id, attempt: 1, shard: shards[0]!, handOver: later(world.engine.clock.now(), 600) },
        world.engine,
      ),
      { name: 'NotRunning' },
    );
    deepEqual([...folderOf(world, path).objects.keys()], []);
    await rejects(sealJournal({ tenant, restoreJobId: id, attempt: 1 }, world.engine), { name: 'NotRunning' });
    equal(restoreOf(id).sealedAt, undefined);
  });
});

test('check: progress events come by tenths, up to half when all is checked, and no tenth twice', async () => {
  const shop = await newShop();
  const restore = await sealed(shop);
  const told = eventsOf('restore.progress').map(({ data }) => (data as { progress: { percent: number } }).progress.percent);
  deepEqual(told, [10, 20, 30, 40, 50]);
  deepEqual([restore.checked, restore.toldPercent], [restore.expected, 50]);
});

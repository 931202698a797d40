/** What ends a backup, and what it leaves: the reason by its name, a free project, nothing in the store. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import {
  backupKey,
  cleanUp,
  copyShard,
  failBackup,
  planBackup,
  prepareBackup,
  reasonFor,
  runStep,
  sealBackup,
} from '../../../shared/backup/index.ts';
import { StorageError, type Store } from '../../../shared/destination/index.ts';
import { SourceError } from '../../../shared/firestore/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { commit, after as later, set } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import {
  begin,
  contents,
  destinationId,
  eventsOf,
  newWorld,
  organizationNow,
  percentsTold,
  projectId,
  readBack,
  recordOf,
  runWorkflow,
  server,
  table,
  tenant,
  type World,
  writePaths,
} from './engine-world.ts';

after(() => server.stop());

const paths = ['a/1', 'a/1/gone/2/deep/3', 'b/1', 'c/1', 'd/1'];
const wish = { excludeCollections: ['bb'] };
const newSeeded = async (): Promise<World> => {
  const world = newWorld();
  await writePaths(world, paths, 500);
  return world;
};

/** Nothing of a backup that was not completed is left, and another one can be made at once. */
const leavesNothing = async (world: World, id: string): Promise<void> => {
  deepEqual([...world.store.objects.keys()], []);
  equal(await world.store.abandon(''), 0);
  deepEqual(
    [table.find('WORK#'), table.find('RUNNING#'), table.find('ORG#', 'JOB#'), table.find('ORG#', 'ARCHIVE#')],
    [[], [], [], []],
  );
  deepEqual([organizationNow().backupCount, organizationNow().storageUsed], [0, 0]);
  equal(table.get(organizationKey.storageDestination(tenant, destinationId))?.backupCount, 0);
  deepEqual([eventsOf('backup.completed').length, eventsOf('backup.failed').length], [0, 1]);
  const record = recordOf(id);
  deepEqual([record.failure, record.trouble, record.phase], [undefined, undefined, 'finished']);
  server.faults.clear();
  Object.assign(world, { through: (store: Store) => store, token: async () => 'owner', nowMs: () => Date.now() });
  const next = await begin(world, wish);
  await runWorkflow(world, next);
  equal(recordOf(next).status, 'completed');
};

/** Runs one that must fail, and gives its record. */
const failed = async (world: World, more: Parameters<typeof begin>[1] = {}, options: Parameters<typeof runWorkflow>[2] = {}) => {
  const id = await begin(world, { ...wish, ...more });
  const errors: string[] = [];
  await runWorkflow(world, id, { onError: (step, { name }) => errors.push(`${step} ${name}`), ...options });
  const record = recordOf(id);
  equal(record.status, 'failed');
  ok(record.completedAt);
  const [told] = eventsOf('backup.failed').map(({ data }) => (data as { backup: { error: unknown } }).backup.error);
  deepEqual(told, record.error);
  return { id, record, errors, error: record.error! };
};

suite('the source', () => {
  test('ends a stream early and says OK: the count tells', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, end: { afterMessages: 1 } });
    const { id, error, errors } = await failed(world);
    equal(error.code, 'COUNT_MISMATCH');
    deepEqual(
      errors.filter((one) => one.startsWith('copy')),
      ['copy JobFailed'],
    );
    await leavesNothing(world, id);
  });

  test('breaks a stream and is read on behind the last document', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, end: { afterMessages: 2, status: 'UNAVAILABLE' } });
    const id = await begin(world, wish);
    await runWorkflow(world, id);
    equal(recordOf(id).status, 'completed');
    deepEqual((await readBack(world, id)).documents, contents(world));
  });

  test('no longer has the moment of the backup', async () => {
    const world = await newSeeded();
    server.faults.add({
      ...{ method: 'RunQuery', project: world.sourceProjectId, status: 'FAILED_PRECONDITION' },
      message: 'The requested snapshot version is too old.',
    });
    const { id, error } = await failed(world);
    equal(error.code, 'SNAPSHOT_EXPIRED');
    await leavesNothing(world, id);
  });

  for (const [when, strike] of [
    ['from the start', (world: World) => server.faults.revoke(world.sourceProjectId)],
    [
      'in the middle',
      (world: World) => server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, status: 'PERMISSION_DENIED' }),
    ],
  ] as const)
    test(`refuses us ${when}: no second try, and the project is to be connected again`, async () => {
      const world = await newSeeded();
      strike(world);
      const { id, error, errors } = await failed(world);
      equal(error.code, 'SOURCE_AUTH_ERROR');
      equal(new Set(errors).size, errors.length);
      equal(table.get(projectKey.project(tenant, projectId))?.status, 'unauthorized');
      await leavesNothing(world, id);
    });

  test('gives no token any more', async () => {
    const world = await newSeeded();
    world.token = async () => {
      throw new SourceError('SOURCE_AUTH_ERROR', 'The grant was revoked');
    };
    const { error } = await failed(world);
    deepEqual(error, { code: 'SOURCE_AUTH_ERROR', message: 'The grant was revoked' });
  });

  test('does not answer at all: the last try says so', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'PartitionQuery', project: world.sourceProjectId, status: 'UNAVAILABLE', times: 1_000 });
    server.faults.add({ method: 'ListCollectionIds', project: world.sourceProjectId, status: 'UNAVAILABLE', times: 1_000 });
    const { error, errors } = await failed(world);
    deepEqual([error.code, errors.length], ['INTERNAL_ERROR', 7]);
    match(error.message, /did not answer/);
  });

  test('does not count: the backup is made, and says that it is not counted', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'RunAggregationQuery', project: world.sourceProjectId, status: 'UNIMPLEMENTED', times: 1_000 });
    const id = await begin(world, wish);
    await runWorkflow(world, id);
    const record = recordOf(id);
    deepEqual([record.status, record.countVerified, record.documentCount], ['completed', false, paths.length]);
    deepEqual((await readBack(world, id)).documents, contents(world));
    deepEqual(percentsTold(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  test('counts too late: what was read is kept, and only the count is asked for again', async () => {
    const world = await newSeeded();
    let kept = 0;
    const id = await begin(world);
    await runWorkflow(world, id, {
      // As often as the reader asks before it gives up.
      afterPlan: () =>
        server.faults.add({ method: 'RunAggregationQuery', project: world.sourceProjectId, status: 'UNAVAILABLE', times: 8 }),
      onError: () => {
        kept = recordOf(id).documents;
      },
    });
    const record = recordOf(id);
    deepEqual([record.status, record.countVerified], ['completed', true]);
    equal(kept, paths.length);
    equal((await readBack(world, id)).manifest.objects.length, 2);
    deepEqual((await readBack(world, id)).documents, contents(world));
  });
});

/** A store of which one operation fails as told. */
const faulty = (world: World, fail: (operation: string, name: string) => Error | undefined): void => {
  const check = (operation: string, name: string): void => {
    const error = fail(operation, name);
    if (error) throw error;
  };
  world.through = (inner) => ({
    ...bound(inner),
    put: async (name, bytes, options) => {
      check('put', name);
      await inner.put(name, bytes, options);
    },
    upload: (name, options) => {
      const upload = inner.upload(name, options);
      return {
        ...upload,
        finish: async () => {
          check('finish', name);
          return upload.finish();
        },
      };
    },
    head: async (name) => {
      check('head', name);
      return inner.head(name);
    },
    remove: async (names) => {
      check('remove', names[0] ?? '');
      await inner.remove(names);
    },
  });
};
const bound = (inner: Store): Store => ({
  put: (...all) => inner.put(...all),
  upload: (...all) => inner.upload(...all),
  get: (...all) => inner.get(...all),
  head: (...all) => inner.head(...all),
  list: (prefix) => inner.list(prefix),
  remove: (names) => inner.remove(names),
  abandon: (prefix) => inner.abandon(prefix),
  close: () => inner.close(),
});

suite('the store', () => {
  for (const [what, matches] of [
    ['the key', (operation: string, name: string) => operation === 'put' && name === 'key'],
    ['a chunk', (operation: string, name: string) => operation === 'finish' && name.startsWith('chunk/')],
    ['an index', (operation: string, name: string) => operation === 'finish' && name.startsWith('index/')],
    ['the manifest', (operation: string, name: string) => operation === 'put' && name === 'manifest'],
  ] as const) {
    test(`refuses ${what}: the backup fails at once, and the destination is marked`, async () => {
      const world = await newSeeded();
      faulty(world, (...call) => (matches(...call) ? new StorageError('denied', 'The bucket refused: AccessDenied') : undefined));
      const { id, error, errors } = await failed(world);
      deepEqual(error, {
        ...{ code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refused: AccessDenied' },
        details: { reason: 'denied' },
      });
      equal(new Set(errors).size, errors.length);
      equal(table.get(organizationKey.storageDestination(tenant, destinationId))?.status, 'error');
      equal(eventsOf('storage.error').length, 1);
      await leavesNothing(world, id);
    });

    test(`is away for three tries of ${what}, then takes it`, async () => {
      const world = await newSeeded();
      let tries = 0;
      faulty(world, (...call) => (matches(...call) && tries++ < 3 ? new StorageError('unavailable', 'SlowDown') : undefined));
      const id = await begin(world, wish);
      await runWorkflow(world, id);
      equal(recordOf(id).status, 'completed');
      const { documents, manifest } = await readBack(world, id);
      deepEqual(documents, contents(world));
      deepEqual([...world.store.objects.keys()].sort(), [...manifest.objects.map(({ name }) => name), 'key', 'manifest'].sort());
    });
  }

  test('stays away: the last try says so', async () => {
    const world = await newSeeded();
    faulty(world, (operation) =>
      operation === 'finish' ? new StorageError('unavailable', 'The bucket does not answer') : undefined,
    );
    const { error } = await failed(world);
    deepEqual(error, { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket does not answer' });
  });

  test('confirms an object and has lost it by the end', async () => {
    const world = await newSeeded();
    const id = await begin(world, wish);
    await runWorkflow(world, id, {
      onError: () => undefined,
      afterPlan: () =>
        faulty(world, (operation, name) => {
          if (operation === 'head') world.store.objects.delete(name);
          return undefined;
        }),
    });
    const record = recordOf(id);
    deepEqual([record.status, record.error?.code], ['failed', 'STORAGE_UPLOAD_ERROR']);
    match(record.error!.message, /chunk\/00000000-0000/);
  });

  test('has half of an object at the end', async () => {
    const world = await newSeeded();
    faulty(world, (operation, name) => {
      if (operation === 'head') world.store.objects.set(name, world.store.objects.get(name)!.subarray(1));
      return undefined;
    });
    equal((await failed(world)).error.code, 'STORAGE_UPLOAD_ERROR');
  });

  test('gives another manifest back than it was given', async () => {
    const world = await newSeeded();
    world.through = (inner) => ({
      ...bound(inner),
      get: async (name) => {
        const bytes = Buffer.from(await inner.get(name));
        bytes[100]! ^= 1;
        return bytes;
      },
    });
    equal((await failed(world)).error.code, 'STORAGE_UPLOAD_ERROR');
  });

  test('is away when the backup has failed: nobody counts it, and the next cleaning removes it', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, status: 'PERMISSION_DENIED', contains: 'bb' });
    faulty(world, (operation) => (operation === 'remove' ? new StorageError('unavailable', 'away') : undefined));
    const id = await begin(world, wish);
    await rejects(runWorkflow(world, id));
    deepEqual([recordOf(id).status, table.find('RUNNING#').length, world.store.objects.size > 0], ['failed', 1, true]);
    world.through = (store) => store;
    await cleanUp(tenant, id, world.engine);
    await cleanUp(tenant, id, world.engine);
    await leavesNothing(world, id);
  });
});

suite('maxReads', () => {
  test('that cannot suffice stops the backup before it reads', async () => {
    const world = await newSeeded();
    server.faults.resetCalls();
    const { id, error } = await failed(world, { maxReads: 3 });
    deepEqual([error.code, error.details?.maxReads], ['CANCELLED', 3]);
    match(error.message, /maxReads/);
    equal(server.faults.calls.RunQuery, undefined);
    await leavesNothing(world, id);
  });

  test('of exactly what was planned suffices', async () => {
    const world = await newSeeded();
    const { error } = await failed(world, { maxReads: 3 });
    newWorld(world.sourceProjectId);
    const again = newWorld(world.sourceProjectId);
    const id = await begin(again, { ...wish, maxReads: error.details?.reads as number });
    await runWorkflow(again, id);
    equal(recordOf(id).status, 'completed');
    ok(recordOf(id).reads <= (error.details?.reads as number));
  });

  test('stops a run whose source does not count, as soon as it is passed', async () => {
    const world = newWorld();
    await writePaths(
      world,
      Array.from({ length: 300 }, (_, n) => `a/${n}`),
      5_000,
    );
    server.faults.add({ method: 'RunAggregationQuery', project: world.sourceProjectId, status: 'UNIMPLEMENTED', times: 1_000 });
    const { id, error } = await failed(world, { maxReads: 100 });
    deepEqual([error.code, error.details?.maxReads], ['CANCELLED', 100]);
    ok((error.details?.reads as number) < 300);
    await leavesNothing(world, id);
  });
});

/** As POST /backups/{id}/cancel does it. */
const cancel = async (id: string): Promise<void> => {
  const { status } = recordOf(id);
  const error = { code: 'CANCELLED', message: 'The backup was cancelled by a member' };
  await commit([
    set(backupKey.backup(tenant, id), { status: 'cancelled', phase: 'finished', error }, { where: { status } }),
    { remove: projectKey.job(tenant, projectId) },
  ]);
};

suite('a backup that has ended by other hands', () => {
  test('before its workflow began is cleaned up after, and stays cancelled', async () => {
    const world = await newSeeded();
    const id = await begin(world, wish);
    await cancel(id);
    await runWorkflow(world, id);
    deepEqual([recordOf(id).status, table.find('RUNNING#'), eventsOf('backup.started')], ['cancelled', [], []]);
    equal(table.get(organizationKey.storageDestination(tenant, destinationId))?.backupCount, 0);
  });

  test('while it is copied leaves nothing, whoever is still at work', async () => {
    const world = await newSeeded();
    const id = await begin(world, wish);
    await runWorkflow(world, id, { afterPlan: () => cancel(id) });
    const record = recordOf(id);
    deepEqual([record.status, record.error?.code], ['cancelled', 'CANCELLED']);
    deepEqual([[...world.store.objects.keys()], table.find('WORK#'), table.find('RUNNING#')], [[], [], []]);
  });

  test('while it is sealed completes nothing', async () => {
    const world = await newSeeded();
    const id = await begin(world, wish);
    faulty(world, (operation, name) => {
      if (operation === 'put' && name === 'manifest') cancelNow(id);
      return undefined;
    });
    await runWorkflow(world, id);
    deepEqual([recordOf(id).status, organizationNow().backupCount], ['cancelled', 0]);
    deepEqual([...world.store.objects.keys()], []);
  });

  test('by the reaper completes nothing when its worker wakes, and takes nobody else’s place', async () => {
    const world = await newSeeded();
    const id = await begin(world, wish);
    await prepareBackup(tenant, id, world.engine);
    const { shards } = await planBackup(tenant, id, world.engine);
    const handOver = later(new Date(), 600);
    for (const shard of shards.slice(1)) await copyShard(tenant, id, shard, handOver, world.engine);
    // Asleep in its last upload.
    const asleep = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const sleeper = {
      ...world.engine,
      openStore: async () => ({
        ...bound(world.store),
        upload: (...all: Parameters<Store['upload']>) => {
          const upload = world.store.upload(...all);
          return {
            ...upload,
            finish: async () => {
              reached.resolve();
              await asleep.promise;
              return upload.finish();
            },
          };
        },
      }),
    };
    const woken = copyShard(tenant, id, shards[0]!, handOver, sleeper);
    woken.catch(() => undefined);
    await reached.promise;
    const now = new Date();
    await failBackup(tenant, id, (backup) => reasonFor(backup, undefined, now), now);
    await cleanUp(tenant, id, world.engine);
    const next = await begin(world, wish);
    asleep.resolve();
    await rejects(woken);
    await rejects(
      runStep(tenant, id, () => sealBackup(tenant, id, world.engine)),
      { name: 'JobFailed' },
    );
    deepEqual([recordOf(id).status, recordOf(id).error?.code], ['failed', 'INTERNAL_ERROR']);
    deepEqual([...world.store.objects.keys()], []);
    equal(table.get<{ jobId: string }>(projectKey.job(tenant, projectId))?.jobId, next);
    await runWorkflow(world, next);
    equal(recordOf(next).status, 'completed');
  });

  test('and a second worker of the same shard makes the first one’s part nobody’s', async () => {
    const world = await newSeeded();
    const id = await begin(world, wish);
    await prepareBackup(tenant, id, world.engine);
    const { shards } = await planBackup(tenant, id, world.engine);
    const handOver = later(new Date(), 600);
    const both = await Promise.allSettled(
      shards.flatMap((shard) => [1, 2, 3].map(() => copyShard(tenant, id, shard, handOver, world.engine))),
    );
    ok(both.some(({ status }) => status === 'fulfilled'));
    for (const shard of shards) await copyShard(tenant, id, shard, handOver, world.engine);
    await sealBackup(tenant, id, world.engine);
    const { documents, manifest } = await readBack(world, id);
    deepEqual(documents, contents(world));
    equal(recordOf(id).documents, paths.length);
    deepEqual([...world.store.objects.keys()].sort(), [...manifest.objects.map(({ name }) => name), 'key', 'manifest'].sort());
  });

  test('because its organization was deleted', async () => {
    const world = await newSeeded();
    const deletedAt = new Date().toISOString();
    const { id, error } = await failed(
      world,
      {},
      {
        afterPlan: () => commit([set(organizationKey.organization(tenant), { deletedAt })]),
      },
    );
    equal(error.code, 'CANCELLED');
    deepEqual([[...world.store.objects.keys()], table.find('RUNNING#')], [[], []]);
    ok(id);
  });
});
/** Without a call to the table: at this very moment. */
const cancelNow = (id: string): void => {
  const { pk, sk } = backupKey.backup(tenant, id);
  table.items.get(`${pk}\n${sk}`)!.status = { S: 'cancelled' };
};

suite('time', () => {
  test('that is over fails the backup with BACKUP_TIMEOUT, whatever step it is in', async () => {
    for (const overAfter of [0, 1, 2, 4, 8]) {
      const world = await newSeeded();
      let looks = 0;
      const startMs = Date.now();
      world.nowMs = () => startMs + (looks++ > overAfter ? 31 * 60_000 : 0);
      const id = await begin(world, wish);
      await runWorkflow(world, id);
      const record = recordOf(id);
      if (record.status === 'completed') continue;
      deepEqual([record.status, record.error?.code], ['failed', 'BACKUP_TIMEOUT'], `after ${overAfter}`);
      equal(record.error?.details?.timeoutMinutes, 30);
      deepEqual([[...world.store.objects.keys()], table.find('WORK#')], [[], []]);
    }
  });

  test('ends a stream that brings nothing', async () => {
    const world = await newSeeded();
    table.put({ ...table.get(projectKey.project(tenant, projectId))!, settings: { backupTimeoutMinutes: 0.01 } });
    server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, delayMs: 5_000, times: 10 });
    const { id, error } = await failed(world);
    equal(error.code, 'BACKUP_TIMEOUT');
    await leavesNothing(world, id);
  });
});

test('two backups of one project at the same moment: one begins, the other is told of it', async () => {
  const world = await newSeeded();
  const both = await Promise.allSettled([begin(world, wish), begin(world, wish)]);
  const [refusal] = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string }] : []));
  const [id] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  equal(refusal?.code, 'JOB_IN_PROGRESS');
  await runWorkflow(world, id!);
  equal(recordOf(id!).status, 'completed');
  equal(table.find('ORG#', 'BACKUP#').length, 1);
});

/** What ends a backup, and what it leaves: the reason by its name, a free project, nothing in the store. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { cleanUpBackup } from '../../../../shared/backup/index.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import {
  begin,
  contents,
  destinationId,
  eventsOf,
  newWorld,
  projectId,
  readBack,
  recordOf,
  reportedPercents,
  runWorkflow,
  server,
  table,
  tenant,
  type World,
  writePaths,
} from '../../../harness/env/backup-env.ts';
import { failed, leavesNothing, newSeeded, paths, startOptions } from '../../../harness/env/failed-backup.ts';
import { bound, faulty } from '../../../harness/faults/faulty-store.ts';

afterAll(() => server.stop());

describe('backup: a source that', () => {
  test('ends a stream early with OK is detected by the count', async () => {
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

  test('breaks a stream is read on after the last document', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, end: { afterMessages: 2, status: 'UNAVAILABLE' } });
    const id = await begin(world, startOptions);
    await runWorkflow(world, id);
    equal(recordOf(id).status, 'completed');
    deepEqual((await readBack(world, id)).documents, contents(world));
  });

  test('no longer keeps the read time fails the backup', async () => {
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
    test(`denies access ${when} fails the backup without a retry, and the project must be connected again`, async () => {
      const world = await newSeeded();
      strike(world);
      const { id, error, errors } = await failed(world);
      equal(error.code, 'SOURCE_AUTH_ERROR');
      if (when === 'in the middle')
        ok([null, 'bb'].includes(error.details?.fromCollection as null), JSON.stringify(error.details));
      equal(new Set(errors).size, errors.length);
      equal(table.get(projectKey.project(tenant, projectId))?.status, 'unauthorized');
      await leavesNothing(world, id);
    });

  test('issues no token any more fails the backup', async () => {
    const world = await newSeeded();
    world.token = async () => {
      throw new SourceError('SOURCE_AUTH_ERROR', 'The grant was revoked');
    };
    const { error } = await failed(world);
    deepEqual(error, { code: 'SOURCE_AUTH_ERROR', message: 'The grant was revoked' });
  });

  test('never responds fails the backup after the last attempt', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'PartitionQuery', project: world.sourceProjectId, status: 'UNAVAILABLE', times: 1_000 });
    server.faults.add({ method: 'ListCollectionIds', project: world.sourceProjectId, status: 'UNAVAILABLE', times: 1_000 });
    const { error, errors } = await failed(world);
    deepEqual([error.code, errors.length], ['INTERNAL_ERROR', 7]);
    match(error.message, /did not answer/);
  });

  test('does not count yields a backup that is not count-verified', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'RunAggregationQuery', project: world.sourceProjectId, status: 'UNIMPLEMENTED', times: 1_000 });
    const id = await begin(world, startOptions);
    await runWorkflow(world, id);
    const record = recordOf(id);
    deepEqual([record.status, record.countVerified, record.documentCount], ['completed', false, paths.length]);
    deepEqual((await readBack(world, id)).documents, contents(world));
    deepEqual(reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  test('counts too late keeps the part, and only the count is repeated', async () => {
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

describe('backup: a store that', () => {
  for (const [what, matches] of [
    ['the key', (operation: string, name: string) => operation === 'put' && name === 'key'],
    ['a chunk', (operation: string, name: string) => operation === 'finish' && name.startsWith('chunk/')],
    ['an index', (operation: string, name: string) => operation === 'finish' && name.startsWith('index/')],
    ['the manifest', (operation: string, name: string) => operation === 'put' && name === 'manifest'],
  ] as const) {
    test(`refuses ${what} fails the backup at once, and the destination is marked`, async () => {
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

    test(`fails three attempts of ${what} and then accepts it is retried`, async () => {
      const world = await newSeeded();
      let tries = 0;
      faulty(world, (...call) => (matches(...call) && tries++ < 3 ? new StorageError('unavailable', 'SlowDown') : undefined));
      const id = await begin(world, startOptions);
      await runWorkflow(world, id);
      equal(recordOf(id).status, 'completed');
      const { documents, manifest } = await readBack(world, id);
      deepEqual(documents, contents(world));
      deepEqual([...world.store.objects.keys()].sort(), [...manifest.objects.map(({ name }) => name), 'key', 'manifest'].sort());
    });
  }

  test('loses or changes the key during the copy gets it again, verified', async () => {
    for (const damage of [undefined, Buffer.from('garbage')]) {
      const world = await newSeeded();
      const id = await begin(world, startOptions);
      const afterPlan = () => (damage ? world.store.objects.set('key', damage) : world.store.objects.delete('key'));
      await runWorkflow(world, id, { afterPlan });
      equal(recordOf(id).status, 'completed');
      deepEqual(Buffer.from(world.store.objects.get('key')!), Buffer.from(recordOf(id).keyFile!));
    }
  });

  test('returns another key than was stored fails the backup', async () => {
    const world = await newSeeded();
    const get = async (name: string) => (name === 'key' ? Buffer.from('garbage') : world.store.get(name));
    world.through = (inner) => ({ ...bound(inner), get });
    const { id, error } = await failed(world);
    match(error.message, /another key than was stored/);
    await leavesNothing(world, id);
  });

  test('stays unreachable fails the backup after the last attempt', async () => {
    const world = await newSeeded();
    faulty(world, (operation) =>
      operation === 'finish' ? new StorageError('unavailable', 'The bucket does not answer') : undefined,
    );
    const { error } = await failed(world);
    deepEqual(error, { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket does not answer' });
  });

  test('confirms an object and loses it fails the backup', async () => {
    const world = await newSeeded();
    const id = await begin(world, startOptions);
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

  test('has half of an object fails the backup', async () => {
    const world = await newSeeded();
    faulty(world, (operation, name) => {
      if (operation === 'head') world.store.objects.set(name, world.store.objects.get(name)!.subarray(1));
      return undefined;
    });
    equal((await failed(world)).error.code, 'STORAGE_UPLOAD_ERROR');
  });

  test('returns another manifest than was stored fails the backup', async () => {
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

  test('is unreachable after a failure is cleaned up by the next run, and the backup counts nowhere', async () => {
    const world = await newSeeded();
    server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, status: 'PERMISSION_DENIED', contains: 'bb' });
    faulty(world, (operation) => (operation === 'remove' ? new StorageError('unavailable', 'away') : undefined));
    const id = await begin(world, startOptions);
    await rejects(runWorkflow(world, id));
    deepEqual([recordOf(id).status, table.find('RUNNING#').length, world.store.objects.size > 0], ['failed', 1, true]);
    world.through = (store) => store;
    await cleanUpBackup(tenant, id, world.engine);
    await cleanUpBackup(tenant, id, world.engine);
    await leavesNothing(world, id);
  });
});

describe('backup: maxReads', () => {
  test('below the plan fails the backup before it reads', async () => {
    const world = await newSeeded();
    server.faults.resetCalls();
    const { id, error } = await failed(world, { maxReads: 3 });
    deepEqual([error.code, error.details?.maxReads], ['CANCELLED', 3]);
    match(error.message, /maxReads/);
    equal(server.faults.calls.RunQuery, undefined);
    await leavesNothing(world, id);
  });

  test('equal to the plan suffices', async () => {
    const world = await newSeeded();
    const { error } = await failed(world, { maxReads: 3 });
    newWorld(world.sourceProjectId);
    const again = newWorld(world.sourceProjectId);
    const id = await begin(again, { ...startOptions, maxReads: error.details?.reads as number });
    await runWorkflow(again, id);
    equal(recordOf(id).status, 'completed');
    ok(recordOf(id).reads <= (error.details?.reads as number));
  });

  test('stops a run whose source does not count, as soon as it is exceeded', async () => {
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

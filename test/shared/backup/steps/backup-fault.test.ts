/** A failed backup reports its reason, releases the project and leaves nothing in the store. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { cleanUpBackup } from '../../../../shared/backup/index.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';
import {
  assertCleanedUp,
  paths,
  resetWithDocuments,
  runFailingBackup,
  startOptions,
} from '../../../harness/env/failed-backup.ts';
import { bound, faulty } from '../../../harness/faults/faulty-store.ts';

const t = await createBackupEnv();

beforeEach(() => t.reset());

describe('backup: a source that', () => {
  test('ends a stream early with OK is detected by the count', async () => {
    await resetWithDocuments(t);
    t.server.faults.add({ method: 'RunQuery', project: t.sourceProjectId, end: { afterMessages: 1 } });
    const { id, error, errors } = await runFailingBackup(t);
    equal(error.code, 'COUNT_MISMATCH');
    deepEqual(
      errors.filter((one) => one.startsWith('copy')),
      ['copy JobFailed'],
    );
    await assertCleanedUp(t, id);
  });

  test('breaks a stream is read on after the last document', async () => {
    await resetWithDocuments(t);
    t.server.faults.add({ method: 'RunQuery', project: t.sourceProjectId, end: { afterMessages: 2, status: 'UNAVAILABLE' } });
    const id = await t.startBackup(startOptions);
    await t.runBackup(id);
    equal(t.backupOf(id).status, 'completed');
    deepEqual((await t.readBackup(id)).documents, t.contents());
  });

  test('no longer keeps the read time fails the backup', async () => {
    await resetWithDocuments(t);
    t.server.faults.add({
      ...{ method: 'RunQuery', project: t.sourceProjectId, status: 'FAILED_PRECONDITION' },
      message: 'The requested snapshot version is too old.',
    });
    const { id, error } = await runFailingBackup(t);
    equal(error.code, 'SNAPSHOT_EXPIRED');
    await assertCleanedUp(t, id);
  });

  for (const [when, strike] of [
    ['from the start', () => t.server.faults.revoke(t.sourceProjectId)],
    ['in the middle', () => t.server.faults.add({ method: 'RunQuery', project: t.sourceProjectId, status: 'PERMISSION_DENIED' })],
  ] as const)
    test(`denies access ${when} fails the backup without a retry, and the project must be connected again`, async () => {
      await resetWithDocuments(t);
      strike();
      const { id, error, errors } = await runFailingBackup(t);
      equal(error.code, 'SOURCE_AUTH_ERROR');
      if (when === 'in the middle')
        ok([null, 'bb'].includes(error.details?.fromCollection as null), JSON.stringify(error.details));
      equal(new Set(errors).size, errors.length);
      equal(t.table.get(projectKey.project(t.tenant, t.projectId))?.status, 'unauthorized');
      await assertCleanedUp(t, id);
    });

  test('issues no token any more fails the backup', async () => {
    await resetWithDocuments(t);
    t.token = async () => {
      throw new SourceError('SOURCE_AUTH_ERROR', 'The grant was revoked');
    };
    const { error } = await runFailingBackup(t);
    deepEqual(error, { code: 'SOURCE_AUTH_ERROR', message: 'The grant was revoked' });
  });

  test('never responds fails the backup after the last attempt', async () => {
    await resetWithDocuments(t);
    t.server.faults.add({ method: 'PartitionQuery', project: t.sourceProjectId, status: 'UNAVAILABLE', times: 1_000 });
    t.server.faults.add({ method: 'ListCollectionIds', project: t.sourceProjectId, status: 'UNAVAILABLE', times: 1_000 });
    const { error, errors } = await runFailingBackup(t);
    deepEqual([error.code, errors.length], ['INTERNAL_ERROR', 7]);
    match(error.message, /did not answer/);
  });

  test('does not count yields a backup that is not count-verified', async () => {
    await resetWithDocuments(t);
    t.server.faults.add({ method: 'RunAggregationQuery', project: t.sourceProjectId, status: 'UNIMPLEMENTED', times: 1_000 });
    const id = await t.startBackup(startOptions);
    await t.runBackup(id);
    const record = t.backupOf(id);
    deepEqual([record.status, record.countVerified, record.documentCount], ['completed', false, paths.length]);
    deepEqual((await t.readBackup(id)).documents, t.contents());
    deepEqual(t.reportedPercents(), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  test('counts too late keeps the part, and only the count is repeated', async () => {
    await resetWithDocuments(t);
    let kept = 0;
    const id = await t.startBackup();
    await t.runBackup(id, {
      // As often as the reader retries before it gives up.
      afterPlan: () =>
        t.server.faults.add({ method: 'RunAggregationQuery', project: t.sourceProjectId, status: 'UNAVAILABLE', times: 8 }),
      onError: () => {
        kept = t.backupOf(id).documents;
      },
    });
    const record = t.backupOf(id);
    deepEqual([record.status, record.countVerified], ['completed', true]);
    equal(kept, paths.length);
    equal((await t.readBackup(id)).manifest.objects.length, 2);
    deepEqual((await t.readBackup(id)).documents, t.contents());
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
      await resetWithDocuments(t);
      faulty(t, (...call) => (matches(...call) ? new StorageError('denied', 'The bucket refused: AccessDenied') : undefined));
      const { id, error, errors } = await runFailingBackup(t);
      deepEqual(error, {
        ...{ code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refused: AccessDenied' },
        details: { reason: 'denied' },
      });
      equal(new Set(errors).size, errors.length);
      equal(t.table.get(organizationKey.storageDestination(t.tenant, t.destinationId))?.status, 'error');
      equal(t.events('storage.error').length, 1);
      await assertCleanedUp(t, id);
    });

    test(`fails three attempts of ${what} and then accepts it is retried`, async () => {
      await resetWithDocuments(t);
      let tries = 0;
      faulty(t, (...call) => (matches(...call) && tries++ < 3 ? new StorageError('unavailable', 'SlowDown') : undefined));
      const id = await t.startBackup(startOptions);
      await t.runBackup(id);
      equal(t.backupOf(id).status, 'completed');
      const { documents, manifest } = await t.readBackup(id);
      deepEqual(documents, t.contents());
      deepEqual([...t.store.objects.keys()].sort(), [...manifest.objects.map(({ name }) => name), 'key', 'manifest'].sort());
    });
  }

  test('loses or changes the key during the copy gets it again, verified', async () => {
    for (const damage of [undefined, Buffer.from('garbage')]) {
      await resetWithDocuments(t);
      const id = await t.startBackup(startOptions);
      const afterPlan = () => (damage ? t.store.objects.set('key', damage) : t.store.objects.delete('key'));
      await t.runBackup(id, { afterPlan });
      equal(t.backupOf(id).status, 'completed');
      deepEqual(Buffer.from(t.store.objects.get('key')!), Buffer.from(t.backupOf(id).keyFile!));
    }
  });

  test('returns another key than was stored fails the backup', async () => {
    await resetWithDocuments(t);
    const get = async (name: string) => (name === 'key' ? Buffer.from('garbage') : t.store.get(name));
    t.wrapStore = (inner) => ({ ...bound(inner), get });
    const { id, error } = await runFailingBackup(t);
    match(error.message, /other bytes of key than were sent: sha256:.* instead of sha256:/);
    await assertCleanedUp(t, id);
  });

  test('stays unreachable fails the backup after the last attempt', async () => {
    await resetWithDocuments(t);
    faulty(t, (operation) =>
      operation === 'finish' ? new StorageError('unavailable', 'The bucket does not answer') : undefined,
    );
    const { error } = await runFailingBackup(t);
    deepEqual(error, { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket does not answer' });
  });

  test('confirms an object and loses it fails the backup', async () => {
    await resetWithDocuments(t);
    const id = await t.startBackup(startOptions);
    await t.runBackup(id, {
      onError: () => undefined,
      afterPlan: () =>
        faulty(t, (operation, name) => {
          if (operation === 'head') t.store.objects.delete(name);
          return undefined;
        }),
    });
    const record = t.backupOf(id);
    deepEqual([record.status, record.error?.code], ['failed', 'STORAGE_UPLOAD_ERROR']);
    match(record.error!.message, /chunk\/00000000-0000/);
  });

  test('has half of an object fails the backup', async () => {
    await resetWithDocuments(t);
    faulty(t, (operation, name) => {
      if (operation === 'head') t.store.objects.set(name, t.store.objects.get(name)!.subarray(1));
      return undefined;
    });
    equal((await runFailingBackup(t)).error.code, 'STORAGE_UPLOAD_ERROR');
  });

  test('has other bytes of the same size fails the backup', async () => {
    await resetWithDocuments(t);
    faulty(t, (operation, name) => {
      if (operation === 'head' && name.startsWith('chunk/')) t.store.objects.get(name)![7]! ^= 1;
      return undefined;
    });
    const { error } = await runFailingBackup(t);
    equal(error.code, 'STORAGE_UPLOAD_ERROR');
    match(error.message, /other bytes of chunk\/\S+ than were sent: \S+:.* instead of \S+:/);
  });

  test('returns another manifest than was stored fails the backup', async () => {
    await resetWithDocuments(t);
    t.wrapStore = (inner) => ({
      ...bound(inner),
      get: async (name) => {
        const bytes = Buffer.from(await inner.get(name));
        bytes[100]! ^= 1;
        return bytes;
      },
    });
    const { error } = await runFailingBackup(t);
    equal(error.code, 'STORAGE_UPLOAD_ERROR');
    const { object, expected, actual } = error.details as Record<string, string>;
    equal(object, 'manifest');
    ok(expected !== actual && error.message.includes(`${actual} instead of ${expected}`));
  });

  test('returns another manifest once is read back again', async () => {
    await resetWithDocuments(t);
    let reads = 0;
    t.wrapStore = (inner) => ({
      ...bound(inner),
      get: async (name) => (name === 'manifest' && reads++ < 4 ? Buffer.from('garbage') : inner.get(name)),
    });
    const id = await t.startBackup(startOptions);
    await t.runBackup(id);
    deepEqual([t.backupOf(id).status, reads], ['completed', 5]);
  });

  test('is unreachable after a failure is cleaned up by the next run, and the backup counts nowhere', async () => {
    await resetWithDocuments(t);
    t.server.faults.add({ method: 'RunQuery', project: t.sourceProjectId, status: 'PERMISSION_DENIED', contains: 'bb' });
    faulty(t, (operation) => (operation === 'remove' ? new StorageError('unavailable', 'away') : undefined));
    const id = await t.startBackup(startOptions);
    await rejects(t.runBackup(id));
    deepEqual([t.backupOf(id).status, t.table.find('RUNNING#').length, t.store.objects.size > 0], ['failed', 1, true]);
    t.wrapStore = (store) => store;
    await cleanUpBackup(t.tenant, { backupId: id, deps: t.deps });
    await cleanUpBackup(t.tenant, { backupId: id, deps: t.deps });
    await assertCleanedUp(t, id);
  });
});

describe('backup: maxReads', () => {
  test('below the plan fails the backup before it reads', async () => {
    await resetWithDocuments(t);
    t.server.faults.resetCalls();
    const { id, error } = await runFailingBackup(t, { maxReads: 3 });
    deepEqual([error.code, error.details?.maxReads], ['CANCELLED', 3]);
    match(error.message, /maxReads/);
    equal(t.server.faults.calls.RunQuery, undefined);
    await assertCleanedUp(t, id);
  });

  test('equal to the plan suffices', async () => {
    await resetWithDocuments(t);
    const { error } = await runFailingBackup(t, { maxReads: 3 });
    t.reset(t.sourceProjectId);
    const id = await t.startBackup({ ...startOptions, maxReads: error.details?.reads as number });
    await t.runBackup(id);
    equal(t.backupOf(id).status, 'completed');
    ok(t.backupOf(id).reads <= (error.details?.reads as number));
  });

  test('stops a run whose source does not count, as soon as it is exceeded', async () => {
    await t.writePaths(
      Array.from({ length: 300 }, (_, n) => `a/${n}`),
      5_000,
    );
    t.server.faults.add({ method: 'RunAggregationQuery', project: t.sourceProjectId, status: 'UNIMPLEMENTED', times: 1_000 });
    const { id, error } = await runFailingBackup(t, { maxReads: 100 });
    deepEqual([error.code, error.details?.maxReads], ['CANCELLED', 100]);
    ok((error.details?.reads as number) < 300);
    await assertCleanedUp(t, id);
  });
});

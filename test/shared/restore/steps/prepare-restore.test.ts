/** A restore begins once, emits its event first, and records its phase. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { JobFailure } from '../../../../shared/job/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { prepareRestore } from '../../../../shared/restore/steps/prepare-restore.ts';
import { newShop, type Shop } from '../../../harness/builders/sample-shop.ts';
import { failedEarly } from '../../../harness/env/restore/failed-restore.ts';
import {
  atStart,
  eventsOf,
  folderOf,
  restoreOf,
  resumeWorkflow,
  server,
  shardsOf,
  startTestRestore,
  table,
  takeBackup,
  targetId,
  tenant,
} from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

afterAll(() => server.stop());

test('prepare: each phase is recorded when it starts, in order', async () => {
  const { world, backup } = await newShop();
  const id = await startTestRestore(world, backup);
  const phases: string[] = [];
  table.onWrite = (when) => {
    const { phase } = restoreOf(id);
    if (when === 'after' && phases.at(-1) !== phase) phases.push(phase);
    return undefined;
  };
  await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
  deepEqual(phases, ['Initializing', 'Downloading', 'Decrypting', 'Decompressing', 'Validating', 'Restoring']);
});

test('prepare: event and audit entry are committed with the status, before the target is contacted', async () => {
  const { world, backup } = await newShop();
  const id = await startTestRestore(world, backup);
  server.faults.resetCalls();
  let writes = 0;
  table.onWrite = (when) => {
    if (when === 'before' || ++writes > 1) return undefined;
    const { status, startedAt, phase } = restoreOf(id);
    deepEqual([status, phase, startedAt !== null], ['running', 'Initializing', true]);
    equal(eventsOf('restore.started').length, 1);
    const [entry] = table.find('AUDIT#').filter(({ action }) => action === 'restore.started');
    deepEqual((entry!.resource as { id: string }).id, id);
    deepEqual(server.faults.calls, {});
    return undefined;
  };
  await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
  ok(writes > 1);
});

test('prepare: repeated or concurrent, a restore begins once and is split once', async () => {
  const { world, backup } = await newShop();
  const id = await startTestRestore(world, backup, { includeAuthUsers: true });
  const runs = await Promise.allSettled([1, 2].map(() => prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine)));
  ok(runs.some(({ status }) => status === 'fulfilled'));
  const first = restoreOf(id);
  const shards = shardsOf(id);
  deepEqual(await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine), { shards: [0, 1] });
  deepEqual([restoreOf(id), shardsOf(id)], [first, shards]);
  deepEqual([eventsOf('restore.started').length, first.shards, first.expected > 0], [1, 2, true]);
  // Users come first, and have no range.
  deepEqual(
    shards.map(({ number, range }) => [number, range]),
    [
      [0, undefined],
      [1, '{}'],
    ],
  );
});

test('prepare: requested names that the backup lacks are recorded', async () => {
  const { world, backup } = await newShop();
  const id = await startTestRestore(world, backup, { documents: ['a/1', 'a/nothing', 'c/1/deep/9'] });
  await prepareRestore({ tenant, restoreJobId: id, attempt: 1 }, world.engine);
  deepEqual(restoreOf(id).notFound, ['a/nothing', 'c/1/deep/9']);
});

describe('prepare fails without a write, and the phase shows where:', () => {
  test('the target denies access', async () => {
    const shop = await newShop();
    server.faults.revoke(shop.world.targetProjectId);
    const { phase, code } = await failedEarly(shop);
    deepEqual([phase, code], ['Initializing', 'TARGET_PERMISSION_DENIED']);
    equal(table.get(projectKey.project(tenant, targetId))?.status, 'connected');
  });

  for (const [what, strike] of [
    ['does not know us any more', ({ world }: Shop) => server.faults.revoke(world.targetProjectId, 'UNAUTHENTICATED')],
    [
      'was cut off',
      ({ world }: Shop) => {
        world.token = async () => {
          throw new SourceError('SOURCE_AUTH_ERROR', 'The grant was revoked');
        };
      },
    ],
  ] as const)
    test(`the target ${what}: it must be reconnected`, async () => {
      const shop = await newShop();
      strike(shop);
      const { phase, code } = await failedEarly(shop);
      deepEqual([phase, code], ['Initializing', 'SOURCE_AUTH_ERROR']);
      equal(table.get(projectKey.project(tenant, targetId))?.status, 'unauthorized');
    });

  test('the key is refused', async () => {
    const shop = await newShop();
    Object.assign(shop.world.engine, {
      dataKeyOf: async () => {
        throw new JobFailure('KEY_UNAVAILABLE', 'The KMS key that wraps the keys of backups is disabled; enable it again');
      },
    });
    const { phase, code, message } = await failedEarly(shop);
    deepEqual([phase, code], ['Decrypting', 'KEY_UNAVAILABLE']);
    ok(message.includes('disabled'));
  });

  test('the key is a different one', async () => {
    const shop = await newShop();
    Object.assign(shop.world.engine, { dataKeyOf: async () => Buffer.alloc(32, 1) });
    const { phase, code, details } = await failedEarly(shop);
    deepEqual([phase, code, details?.object], ['Decrypting', 'KEY_UNAVAILABLE', 'manifest']);
  });

  test('the manifest is that of another backup of the same project', async () => {
    const shop = await newShop();
    const other = await takeBackup(shop.world, { collections: ['a'] });
    const manifest = folderOf(shop.world, other.path).objects.get('manifest')!;
    folderOf(shop.world, shop.backup.path).objects.set('manifest', manifest);
    const { phase, code, details } = await failedEarly(shop);
    deepEqual([phase, code, details], ['Decrypting', 'CHUNK_CORRUPT', { reason: 'hash-mismatch', object: 'manifest' }]);
  });

  test('the manifest is missing', async () => {
    const shop = await newShop();
    folderOf(shop.world, shop.backup.path).objects.delete('manifest');
    const { phase, code, details } = await failedEarly(shop);
    deepEqual([phase, code, details], ['Downloading', 'CHUNK_CORRUPT', { reason: 'missing', object: 'manifest' }]);
  });

  test('the bucket denies reads', async () => {
    const shop = await newShop();
    shop.world.throughReading = (store) => ({
      ...bound(store),
      get: async () => {
        throw new StorageError('denied', 'The destination refused');
      },
    });
    const { phase, code, details } = await failedEarly(shop);
    deepEqual([phase, code, details], ['Downloading', 'STORAGE_READ_ERROR', { reason: 'denied', object: 'manifest' }]);
  });

  test('the bucket does not answer, despite retries', async () => {
    const shop = await newShop();
    shop.world.throughReading = (store) => ({
      ...bound(store),
      get: async () => {
        throw new StorageError('unavailable', 'The destination did not answer');
      },
    });
    const { phase, code } = await failedEarly(shop);
    deepEqual([phase, code], ['Downloading', 'STORAGE_READ_ERROR']);
  });
});

/** A restore begins once, emits its event first, and records its phase. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { JobFailure } from '../../../../shared/job/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { prepareRestore } from '../../../../shared/restore/steps/prepare-restore.ts';
import { backUpShop } from '../../../harness/builders/sample-shop.ts';
import { failedEarly } from '../../../harness/env/restore/failed-restore.ts';
import { createRestoreEnv, firstRestoreStep, type RestoreInput } from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const t = await createRestoreEnv();

test('prepare: each phase is recorded when it starts, in order', async () => {
  const backup = await backUpShop(t);
  const id = await t.startRestore(backup);
  const phases: string[] = [];
  t.table.onWrite = (when) => {
    const { phase } = t.restoreOf(id);
    if (when === 'after' && phases.at(-1) !== phase) phases.push(phase);
    return undefined;
  };
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
  deepEqual(phases, ['Initializing', 'Downloading', 'Decrypting', 'Decompressing', 'Validating', 'Restoring']);
});

test('prepare: event and audit entry are committed with the status, before the target is contacted', async () => {
  const backup = await backUpShop(t);
  const id = await t.startRestore(backup);
  t.server.faults.resetCalls();
  let writes = 0;
  t.table.onWrite = (when) => {
    if (when === 'before' || ++writes > 1) return undefined;
    const { status, startedAt, phase } = t.restoreOf(id);
    deepEqual([status, phase, startedAt !== null], ['running', 'Initializing', true]);
    equal(t.events('restore.started').length, 1);
    const [entry] = t.table.find('AUDIT#').filter(({ action }) => action === 'restore.started');
    deepEqual((entry!.resource as { id: string }).id, id);
    deepEqual(t.server.faults.calls, {});
    return undefined;
  };
  await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
  ok(writes > 1);
});

test('prepare: repeated or concurrent, a restore begins once and is split once', async () => {
  const backup = await backUpShop(t);
  const id = await t.startRestore(backup, { includeAuthUsers: true });
  const runs = await Promise.allSettled(
    [1, 2].map(() => prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps)),
  );
  ok(runs.some(({ status }) => status === 'fulfilled'));
  const first = t.restoreOf(id);
  const shards = t.shardsOf(id);
  deepEqual(await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps), { shards: [0, 1] });
  deepEqual([t.restoreOf(id), t.shardsOf(id)], [first, shards]);
  deepEqual([t.events('restore.started').length, first.shards, first.expected > 0], [1, 2, true]);
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
  const backup = await backUpShop(t);
  const id = await t.startRestore(backup, { documents: ['a/1', 'a/nothing', 'c/1/deep/9'] });
  await prepareRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps);
  const { notFound, notFoundCount, unknownCollections } = t.restoreOf(id);
  deepEqual([notFound, notFoundCount, unknownCollections], [['a/nothing', 'c/1/deep/9'], 2, []]);
});

test('prepare: collections that the backup lacks are in the record, the completed event and the audit entry', async () => {
  const backup = await backUpShop(t);
  const id = await t.startRestore(backup, { collections: ['a', 'nowhere'] });
  const { status, unknownCollections, unknownCollectionsCount } = await t.runRestore(id);
  deepEqual([status, unknownCollections, unknownCollectionsCount], ['completed', ['nowhere'], 1]);
  const [event] = t.events('restore.completed').map(({ data }) => (data as { restore: Record<string, unknown> }).restore);
  deepEqual(
    [event?.unknownCollections, event?.unknownCollectionsCount, event?.notFound, event?.notFoundCount],
    [['nowhere'], 1, [], 0],
  );
});

for (const dryRun of [false, true])
  test(`prepare: ${dryRun ? 'a plan' : 'a restore'} of names that the backup lacks fails with them`, async () => {
    const backup = await backUpShop(t);
    const failed = async (input: RestoreInput) => (await t.restore(backup, { ...input, dryRun })).error;
    deepEqual(await failed({ collections: ['b', 'nowhere'] }), {
      code: 'COLLECTION_NOT_FOUND',
      message: 'The backup has none of the requested collections: b, nowhere',
      details: { names: ['b', 'nowhere'], count: 2 },
    });
    deepEqual((await failed({ documents: ['a/nothing'] }))?.details, { names: ['a/nothing'], count: 1 });
  });

test('prepare: a rollback may name what only the target has; one of names that neither has fails', async () => {
  const backup = await backUpShop(t);
  const rolledBack = async (documents: readonly string[]) => {
    const { status, deleted, error } = await t.restore(backup, { documents, mergeMode: 'rollback' });
    return { status, deleted, code: error?.code };
  };
  deepEqual(await rolledBack(['a/extra']), { status: 'completed', deleted: 1, code: undefined });
  deepEqual(await rolledBack(['a/nothing']), { status: 'failed', deleted: 0, code: 'DOCUMENT_NOT_FOUND' });
});

describe('prepare fails without a write, and the phase shows where:', () => {
  test('the target denies access', async () => {
    const backup = await backUpShop(t);
    t.server.faults.revoke(t.targetProjectId);
    const { phase, code } = await failedEarly(t, backup);
    deepEqual([phase, code], ['Initializing', 'TARGET_PERMISSION_DENIED']);
    equal(t.table.get(projectKey.project(t.tenant, t.targetId))?.status, 'connected');
  });

  for (const [what, strike] of [
    ['does not know us any more', () => t.server.faults.revoke(t.targetProjectId, 'UNAUTHENTICATED')],
    [
      'was cut off',
      () => {
        t.token = async () => {
          throw new SourceError('SOURCE_AUTH_ERROR', 'The grant was revoked');
        };
      },
    ],
  ] as const)
    test(`the target ${what}: it must be reconnected`, async () => {
      const backup = await backUpShop(t);
      strike();
      const { phase, code } = await failedEarly(t, backup);
      deepEqual([phase, code], ['Initializing', 'SOURCE_AUTH_ERROR']);
      equal(t.table.get(projectKey.project(t.tenant, t.targetId))?.status, 'unauthorized');
    });

  test('the key is refused', async () => {
    const backup = await backUpShop(t);
    Object.assign(t.deps, {
      dataKeyOf: async () => {
        throw new JobFailure('KEY_UNAVAILABLE', 'The KMS key that wraps the keys of backups is disabled; enable it again');
      },
    });
    const { phase, code, message } = await failedEarly(t, backup);
    deepEqual([phase, code], ['Decrypting', 'KEY_UNAVAILABLE']);
    ok(message.includes('disabled'));
  });

  test('the key is a different one', async () => {
    const backup = await backUpShop(t);
    Object.assign(t.deps, { dataKeyOf: async () => Buffer.alloc(32, 1) });
    const { phase, code, details } = await failedEarly(t, backup);
    deepEqual([phase, code, details?.object], ['Decrypting', 'KEY_UNAVAILABLE', 'manifest']);
  });

  test('the manifest is that of another backup of the same project', async () => {
    const backup = await backUpShop(t);
    const other = await t.takeBackup({ collections: ['a'] });
    const manifest = t.folderOf(other.path).objects.get('manifest')!;
    t.folderOf(backup.path).objects.set('manifest', manifest);
    const { phase, code, details } = await failedEarly(t, backup);
    deepEqual([phase, code, details], ['Decrypting', 'CHUNK_CORRUPT', { reason: 'hash-mismatch', object: 'manifest' }]);
  });

  test('the manifest is missing', async () => {
    const backup = await backUpShop(t);
    t.folderOf(backup.path).objects.delete('manifest');
    const { phase, code, details } = await failedEarly(t, backup);
    deepEqual([phase, code, details], ['Downloading', 'CHUNK_CORRUPT', { reason: 'missing', object: 'manifest' }]);
  });

  test('the bucket denies reads', async () => {
    const backup = await backUpShop(t);
    t.wrapStore = (store) => ({
      ...bound(store),
      get: async () => {
        throw new StorageError('denied', 'The destination refused');
      },
    });
    const { phase, code, details } = await failedEarly(t, backup);
    deepEqual([phase, code, details], ['Downloading', 'STORAGE_READ_ERROR', { reason: 'denied', object: 'manifest' }]);
  });

  test('the bucket does not answer, despite retries', async () => {
    const backup = await backUpShop(t);
    t.wrapStore = (store) => ({
      ...bound(store),
      get: async () => {
        throw new StorageError('unavailable', 'The destination did not answer');
      },
    });
    const { phase, code } = await failedEarly(t, backup);
    deepEqual([phase, code], ['Downloading', 'STORAGE_READ_ERROR']);
  });

  test('the bucket has not answered for 30 minutes; until then the restore shows that it waits', async () => {
    const backup = await backUpShop(t);
    const begun = t.nowMs();
    let minutes = 0;
    t.nowMs = () => begun + minutes * 60_000;
    t.wrapStore = (inner) => ({
      ...bound(inner),
      get: async () => {
        minutes += 8;
        throw new StorageError('unavailable', 'The store did not read an object in time.');
      },
    });
    const waits: unknown[] = [];
    const id = await t.startRestore(backup);
    const { error } = await t.runRestore(id, { triesMax: 100, onStep: () => waits.push(t.restoreOf(id).waitingFor?.reason) });
    const since = new Date(begun + 8 * 60_000).toISOString();
    deepEqual(error, {
      code: 'STORAGE_READ_ERROR',
      message: 'The bucket has not answered for 32 minutes: The store did not read an object in time.',
      details: { reason: 'unavailable', since },
    });
    deepEqual(waits, [undefined, 'storage', 'storage', 'storage', 'storage']);
    const events = t.events('restore.progress').map(({ data }) => (data as { restore: Record<string, unknown> }).restore);
    deepEqual(
      events.map(({ waitingFor }) => waitingFor),
      [
        {
          reason: 'storage',
          since,
          attempts: 1,
          problem: 'The store did not read an object in time.',
          givesUpAt: new Date(begun + 38 * 60_000).toISOString(),
        },
      ],
    );
  });

  test('a bucket that answers again ends the wait', async () => {
    const backup = await backUpShop(t);
    let failures = 3;
    t.wrapStore = (inner) => ({
      ...bound(inner),
      get: async (...args) => {
        if (failures-- > 0) throw new StorageError('unavailable', 'The store did not read an object in time.');
        return inner.get(...args);
      },
    });
    const { status, waitingFor, waitReportedAt } = await t.restore(backup);
    deepEqual([status, waitingFor, waitReportedAt !== undefined], ['completed', undefined, true]);
  });
});

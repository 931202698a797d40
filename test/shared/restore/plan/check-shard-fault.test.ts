/** Faults of the backup, the bucket or the target are found before the first write, and reported by name. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { absent, backUpShop } from '../../../harness/builders/sample-shop.ts';
import { failedEarly } from '../../../harness/env/restore/failed-restore.ts';
import { createRestoreEnv, firstRestoreStep } from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const t = await createRestoreEnv();

const chunks = ['chunk/00000000-0000', 'chunk/00000001-0000', 'chunk/00000002-0000'] as const;
const indexes = chunks.map((name) => name.replace('chunk', 'index'));
const objectsOf = (backup: BackupRecord) => t.folderOf(backup.path).objects;
const flip = (backup: BackupRecord, name: string, at: number): void => {
  const bytes = objectsOf(backup).get(name)!;
  bytes[Math.floor((bytes.length - 1) * at)]! ^= 1;
};

describe('check: a backup', () => {
  for (const at of [0, 0.3, 0.6, 1])
    test(`with a flipped bit, ${at * 100} % into its third chunk`, async () => {
      const backup = await backUpShop(t);
      flip(backup, chunks[2], at);
      const { phase, code, details, journal } = await failedEarly(t, backup);
      deepEqual([phase, code, details?.object], ['Validating', 'CHUNK_CORRUPT', chunks[2]]);
      deepEqual([...(t.folderOf(journal.path)?.objects.keys() ?? [])], [], 'what was saved of no use stays');
    });

  test('with a flipped bit in its index', async () => {
    const backup = await backUpShop(t);
    flip(backup, 'index/00000001-0000', 0.9);
    const { phase, code, details } = await failedEarly(t, backup);
    ok(['Decompressing', 'Validating'].includes(phase), phase);
    deepEqual([code, details?.object], ['CHUNK_CORRUPT', 'index/00000001-0000']);
  });

  for (const [what, strike, reason] of [
    ['without one of its chunks', (backup: BackupRecord) => objectsOf(backup).delete(chunks[1]), 'missing'],
    [
      'with a chunk that was cut',
      (backup: BackupRecord) => objectsOf(backup).set(chunks[1], objectsOf(backup).get(chunks[1])!.slice(0, 100)),
      'size',
    ],
  ] as const)
    test(what, async () => {
      const backup = await backUpShop(t);
      strike(backup);
      const { phase, code, details, message } = await failedEarly(t, backup);
      deepEqual([phase, code, details], ['Validating', 'CHUNK_CORRUPT', { reason, object: chunks[1] }]);
      ok(message.includes(chunks[1]));
    });

  test('that is corrupt outside the requested scope is restored', async () => {
    const backup = await backUpShop(t);
    objectsOf(backup).delete(chunks[0]);
    const id = await t.startRestore(backup, { collections: ['e'] });
    await t.runRestore(id, { upTo: 'seal', triesMax: 1 });
    deepEqual([t.restoreOf(id).phase, t.restoreOf(id).plan?.create], ['Restoring', absent.length]);
  });

  const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 1 : byte));
  const short = (): never => {
    throw new StorageError('invalid', 'The object is shorter than expected.');
  };
  for (const [what, damage] of Object.entries({ flipped, short }))
    test(`whose answers are ${what} over two connections is read over a third`, async () => {
      const backup = await backUpShop(t);
      let connections = 0;
      const reads = new Map<string, number[]>();
      const connect = (store: ObjectStore): ObjectStore => {
        const connection = connections++;
        return {
          ...bound(store),
          get: async (name, extent, signal) => {
            const range = JSON.stringify([name, extent]);
            const seen = reads.get(range) ?? [];
            reads.set(range, [...seen, connection]);
            const bytes = await store.get(name, extent, signal);
            return seen.length < 2 ? damage(bytes) : bytes;
          },
          renew: async () => connect(store),
        };
      };
      t.wrapStore = (store, folder) => (folder === backup.path ? connect(store) : store);
      const id = await t.startRestore(backup);
      const { status, error } = await t.runRestore(id, { triesMax: 1 });
      deepEqual([status, error], ['completed', null]);
      for (const name of [...chunks, ...indexes, 'manifest'])
        ok(
          [...reads.keys()].some((range) => range.includes(name)),
          name,
        );
      for (const [range, [first, second, third]] of reads) equal(new Set([first, second, third]).size, 3, range);
    });
});

describe('check: the bucket of the safety backup', () => {
  const refusing = (backup: BackupRecord, fails: (operation: string, name: string) => boolean, error: () => Error): void => {
    const check = (operation: string, name: string): void => {
      if (fails(operation, name)) throw error();
    };
    t.wrapStore = (store, folder): ObjectStore => {
      if (folder === backup.path) return store;
      return {
        ...bound(store),
        put: async (name, ...all) => {
          check('put', name);
          return store.put(name, ...all);
        },
        head: async (name) => {
          check('head', name);
          return store.head(name);
        },
        upload: (name, options) => {
          const upload = store.upload(name, options);
          const finish = async () => {
            check('finish', name);
            return upload.finish();
          };
          return { ...upload, finish };
        },
      };
    };
  };

  for (const [operation, name, where] of [
    ['finish', 'chunk/', 'Validating'],
    ['finish', 'index/', 'Validating'],
    ['put', 'key', 'Validating'],
    ['head', 'chunk/', 'Validating'],
    ['put', 'manifest', 'Validating'],
  ] as const)
    for (const reason of ['denied', 'unavailable'] as const)
      test(`refuses (${reason}) the ${operation} of ${name}: the upload fails, and the destination is marked`, async () => {
        const backup = await backUpShop(t);
        refusing(
          backup,
          (done, object) => done === operation && object.startsWith(name),
          () => new StorageError(reason, 'The destination does not want it'),
        );
        const { phase, code } = await failedEarly(t, backup);
        deepEqual([phase, code], [where, 'STORAGE_UPLOAD_ERROR']);
        const [destination] = t.table.find(`ORG#${t.tenant.organizationId}`).filter(({ id }) => id === t.destinationId);
        equal(destination?.status, 'error');
      });

  test('returns another manifest than was stored', async () => {
    const backup = await backUpShop(t);
    t.wrapStore = (store, folder): ObjectStore =>
      folder === backup.path
        ? store
        : { ...bound(store), put: (name, bytes, options) => store.put(name, bytes.slice(1), options) };
    const { phase, code } = await failedEarly(t, backup, { safetyBackup: false });
    deepEqual([phase, code], ['Validating', 'STORAGE_UPLOAD_ERROR']);
  });
});

describe('check: a target', () => {
  test('that denies access during the check', async () => {
    const backup = await backUpShop(t);
    const { targetProjectId: project } = t;
    t.server.faults.add({ method: 'RunQuery', project, status: 'PERMISSION_DENIED', times: 100 });
    const { phase, code } = await failedEarly(t, backup);
    deepEqual([phase, code], ['Validating', 'TARGET_PERMISSION_DENIED']);
  });

  test('that breaks a stream is read on from the last document', async () => {
    const backup = await backUpShop(t);
    const { targetProjectId: project } = t;
    t.server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 2, status: 'UNAVAILABLE' } });
    const id = await t.startRestore(backup);
    await t.runRestore(id, { upTo: 'seal', triesMax: 1 });
    deepEqual([t.restoreOf(id).phase, t.restoreOf(id).plan?.create], ['Restoring', absent.length]);
  });

  for (const mergeMode of ['overwrite', 'skip_existing', 'merge', 'rollback'] as const)
    test(`that ends a stream early without an error is read again (${mergeMode})`, async () => {
      const plans = [];
      for (const times of [0, 1]) {
        const backup = await backUpShop(t);
        const { targetProjectId: project } = t;
        const id = await t.startRestore(backup, { mergeMode });
        const at = firstRestoreStep();
        await t.resumeRestore(id, at, { upTo: 'prepare' });
        if (times > 0) t.server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 1 } });
        await t.resumeRestore(id, at, { upTo: 'seal' });
        const saved = [...(await t.journalOf(id))].map(([path, { kind }]) => [path, kind]);
        plans.push([t.restoreOf(id).plan, saved]);
      }
      deepEqual(plans[1], plans[0]);
    });

  test('that never sends all its documents is not written to', async () => {
    const backup = await backUpShop(t);
    const { targetProjectId: project } = t;
    t.server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 1 }, times: 1_000 });
    const { phase, code, message } = await failedEarly(t, backup);
    deepEqual([phase, code], ['Validating', 'INTERNAL_ERROR']);
    ok(/counts \d+ documents, but \d+ were read/.test(message), message);
  });

  test('that sends its documents but refuses to count them is not written to', async () => {
    const backup = await backUpShop(t);
    const { targetProjectId: project } = t;
    t.server.faults.add({ method: 'RunAggregationQuery', project, status: 'PERMISSION_DENIED', times: 100 });
    const { phase, code } = await failedEarly(t, backup);
    deepEqual([phase, code], ['Validating', 'TARGET_PERMISSION_DENIED']);
  });
});

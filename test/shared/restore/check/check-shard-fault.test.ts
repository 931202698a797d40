/** Faults of the backup, the bucket or the target are found before the first write, and reported by name. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import { absent, newShop, type Shop } from '../../../harness/builders/sample-shop.ts';
import { failedEarly } from '../../../harness/env/restore/failed-restore.ts';
import {
  atStart,
  destinationId,
  folderOf,
  journalOf,
  restoreOf,
  resumeWorkflow,
  runRestore,
  server,
  startTestRestore,
  table,
  tenant,
} from '../../../harness/env/restore-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

afterAll(() => server.stop());

const chunks = ['chunk/00000000-0000', 'chunk/00000001-0000', 'chunk/00000002-0000'] as const;
const objectsOf = ({ world, backup }: Shop) => folderOf(world, backup.path).objects;
const flip = (shop: Shop, name: string, at: number): void => {
  const bytes = objectsOf(shop).get(name)!;
  bytes[Math.floor((bytes.length - 1) * at)]! ^= 1;
};

describe('check: a backup', () => {
  for (const at of [0, 0.3, 0.6, 1])
    test(`with a flipped bit, ${at * 100} % into its third chunk`, async () => {
      const shop = await newShop();
      flip(shop, chunks[2], at);
      const { phase, code, details, journal } = await failedEarly(shop);
      deepEqual([phase, code, details?.object], ['Validating', 'CHUNK_CORRUPT', chunks[2]]);
      deepEqual([...(folderOf(shop.world, journal.path)?.objects.keys() ?? [])], [], 'what was saved of no use stays');
    });

  test('with a flipped bit in its index', async () => {
    const shop = await newShop();
    flip(shop, 'index/00000001-0000', 0.9);
    const { phase, code, details } = await failedEarly(shop);
    ok(['Decompressing', 'Validating'].includes(phase), phase);
    deepEqual([code, details?.object], ['CHUNK_CORRUPT', 'index/00000001-0000']);
  });

  for (const [what, strike, reason] of [
    ['without one of its chunks', (shop: Shop) => objectsOf(shop).delete(chunks[1]), 'missing'],
    [
      'with a chunk that was cut',
      (shop: Shop) => objectsOf(shop).set(chunks[1], objectsOf(shop).get(chunks[1])!.slice(0, 100)),
      'size',
    ],
  ] as const)
    test(what, async () => {
      const shop = await newShop();
      strike(shop);
      const { phase, code, details, message } = await failedEarly(shop);
      deepEqual([phase, code, details], ['Validating', 'CHUNK_CORRUPT', { reason, object: chunks[1] }]);
      ok(message.includes(chunks[1]));
    });

  test('that is corrupt outside the requested scope is restored', async () => {
    const shop = await newShop();
    objectsOf(shop).delete(chunks[0]);
    const id = await startTestRestore(shop.world, shop.backup, { collections: ['e'] });
    await runRestore(shop.world, id, { upTo: 'seal', triesMax: 1 });
    deepEqual([restoreOf(id).phase, restoreOf(id).plan?.create], ['Restoring', absent.length]);
  });

  test('whose part is corrupt on the first read only is not reported as corrupt', async () => {
    const shop = await newShop();
    const torn = new Set<string>();
    shop.world.throughReading = (store) => ({
      ...bound(store),
      get: async (name, extent, signal) => {
        const bytes = await store.get(name, extent, signal);
        if (torn.has(name) || !name.startsWith('chunk')) return bytes;
        torn.add(name);
        return bytes.map((byte) => byte ^ 1);
      },
    });
    const id = await startTestRestore(shop.world, shop.backup);
    await runRestore(shop.world, id, { upTo: 'seal', triesMax: 1 });
    equal(restoreOf(id).phase, 'Restoring');
    equal(torn.size, chunks.length);
  });
});

describe('check: the bucket of the safety backup', () => {
  const refusing = (shop: Shop, fails: (operation: string, name: string) => boolean, error: () => Error): void => {
    const check = (operation: string, name: string): void => {
      if (fails(operation, name)) throw error();
    };
    shop.world.throughReading = (store, folder): ObjectStore => {
      if (folder === shop.backup.path) return store;
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
        const shop = await newShop();
        refusing(
          shop,
          (done, object) => done === operation && object.startsWith(name),
          () => new StorageError(reason, 'The destination does not want it'),
        );
        const { phase, code } = await failedEarly(shop);
        deepEqual([phase, code], [where, 'STORAGE_UPLOAD_ERROR']);
        const [destination] = table.find(`ORG#${tenant.organizationId}`).filter(({ id }) => id === destinationId);
        equal(destination?.status, 'error');
      });

  test('returns another manifest than was stored', async () => {
    const shop = await newShop();
    shop.world.throughReading = (store, folder): ObjectStore =>
      folder === shop.backup.path
        ? store
        : { ...bound(store), put: (name, bytes, options) => store.put(name, bytes.slice(1), options) };
    const { phase, code } = await failedEarly(shop, { safetyBackup: false });
    deepEqual([phase, code], ['Validating', 'STORAGE_UPLOAD_ERROR']);
  });
});

describe('check: a target', () => {
  test('that denies access during the check', async () => {
    const shop = await newShop();
    const { targetProjectId: project } = shop.world;
    server.faults.add({ method: 'RunQuery', project, status: 'PERMISSION_DENIED', times: 100 });
    const { phase, code } = await failedEarly(shop);
    deepEqual([phase, code], ['Validating', 'TARGET_PERMISSION_DENIED']);
  });

  test('that breaks a stream is read on from the last document', async () => {
    const shop = await newShop();
    const { targetProjectId: project } = shop.world;
    server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 2, status: 'UNAVAILABLE' } });
    const id = await startTestRestore(shop.world, shop.backup);
    await runRestore(shop.world, id, { upTo: 'seal', triesMax: 1 });
    deepEqual([restoreOf(id).phase, restoreOf(id).plan?.create], ['Restoring', absent.length]);
  });

  for (const mergeMode of ['overwrite', 'skip_existing', 'merge', 'rollback'] as const)
    test(`that ends a stream early without an error is read again (${mergeMode})`, async () => {
      const plans = [];
      for (const times of [0, 1]) {
        const shop = await newShop();
        const { targetProjectId: project } = shop.world;
        const id = await startTestRestore(shop.world, shop.backup, { mergeMode });
        const at = atStart();
        await resumeWorkflow(shop.world, id, at, { upTo: 'prepare' });
        if (times > 0) server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 1 } });
        await resumeWorkflow(shop.world, id, at, { upTo: 'seal' });
        const saved = [...(await journalOf(shop.world, id))].map(([path, { kind }]) => [path, kind]);
        plans.push([restoreOf(id).plan, saved]);
      }
      deepEqual(plans[1], plans[0]);
    });

  test('that never sends all its documents is not written to', async () => {
    const shop = await newShop();
    const { targetProjectId: project } = shop.world;
    server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 1 }, times: 1_000 });
    const { phase, code, message } = await failedEarly(shop);
    deepEqual([phase, code], ['Validating', 'INTERNAL_ERROR']);
    ok(/counts \d+ documents, but \d+ were read/.test(message), message);
  });

  test('that sends its documents but refuses to count them is not written to', async () => {
    const shop = await newShop();
    const { targetProjectId: project } = shop.world;
    server.faults.add({ method: 'RunAggregationQuery', project, status: 'PERMISSION_DENIED', times: 100 });
    const { phase, code } = await failedEarly(shop);
    deepEqual([phase, code], ['Validating', 'TARGET_PERMISSION_DENIED']);
  });
});

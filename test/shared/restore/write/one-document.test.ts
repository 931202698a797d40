/** The cost of restoring one document, from request to end. */
import { deepEqual, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

beforeEach(() => t.reset());

test('restore: one document out of many takes at most ten ranged reads of the bucket in the whole job', async () => {
  const paths = Array.from({ length: 3_000 }, (_, n) => `many/${String(n).padStart(6, '0')}`);
  await t.put(Object.fromEntries(paths.map((path) => [path, { text: { stringValue: `${path}`.repeat(100) } }])));
  const backup = await t.takeBackup();
  const ranges: string[] = [];
  let bytes = 0;
  t.wrapStore = (store, folder) => {
    const get: typeof store.get = async (name, extent, signal) => {
      const found = await store.get(name, extent, signal);
      if (typeof extent === 'object' && 'offset' in extent)
        ranges.push(`${folder === backup.path ? 'backup' : 'journal'} ${name}`);
      if (folder === backup.path) bytes += found.length;
      return found;
    };
    return new Proxy(store, {
      get: (own, key) => {
        const value: unknown = key === 'get' ? get : Reflect.get(own, key);
        return typeof value === 'function' ? value.bind(own) : value;
      },
    });
  };
  await t.putTarget({
    [paths[1_234]!]: { text: { stringValue: 'other' } },
    [paths[2_345]!]: { text: { stringValue: 'other' } },
  });
  for (const [path, safetyBackup] of [
    [paths[1_234]!, true],
    [paths[2_345]!, false],
    [paths[77]!, true],
  ] as const) {
    ranges.length = 0;
    bytes = 0;
    const { status, written, plan } = await t.restore(backup, { documents: [path], safetyBackup });
    deepEqual([status, written, plan && plan.create + plan.overwrite], ['completed', 1, 1]);
    ok(ranges.length <= 10, ranges.join('\n'));
    ok(bytes < backup.size, `${bytes} of ${backup.size} bytes`);
  }
});

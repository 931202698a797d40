/** A huge object under the name of the key or the manifest does not fill the memory of the reader. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { Failure } from '../../../infra/archive/failure.ts';
import type { ReadOnlyStore } from '../../../infra/archive/store/read-only-directory-store.ts';
import { readSmallObject } from '../../../infra/archive/store/read-small-object.ts';
import { maxKeyFileBytes, maxManifestBytes } from '../../../shared/archive/index.ts';
import { MemoryStore } from '../../../shared/destination/index.ts';
import { passphrase, sampleBackup, writeObjects } from '../../harness/builders/sample-archive-folder.ts';
import { lines, runArchive } from '../../harness/env/run-archive-command.ts';

for (const [object, size] of [
  ['key', maxKeyFileBytes + 1],
  ['manifest', maxManifestBytes + (1 << 20) + 1],
] as const)
  test(`readSmallObject: rejects an oversized ${object} before readOnly it`, async () => {
    let isRead = false;
    const store: Pick<ReadOnlyStore, 'head' | 'get'> = {
      head: async () => ({ size }),
      get: async () => {
        isRead = true;
        return new Uint8Array();
      },
    };
    await rejects(
      readSmallObject(store as ReadOnlyStore, { folder: 'bkp_a/', object }),
      (error: unknown) => error instanceof Failure && error.exitCode === 1 && error.message.startsWith(`${object}: has `),
    );
    ok(!isRead);
  });

test('readSmallObject: reads no more than the size it checked', async () => {
  const store = new MemoryStore();
  await store.put('key', Buffer.alloc(maxKeyFileBytes, 1));
  equal((await readSmallObject(store, { folder: '', object: 'key' })).length, maxKeyFileBytes);
  const growing = { ...readOnly(store), head: async () => ({ size: 10 }) };
  equal((await readSmallObject(growing, { folder: '', object: 'key' })).length, 10);
  await store.put('manifest', new Uint8Array());
  equal((await readSmallObject(store, { folder: '', object: 'manifest' })).length, 0);
  await rejects(readSmallObject(store, { folder: 'bkp_a/', object: 'key', label: 'bkp_a/key' }), {
    message: 'bkp_a/key: is missing',
    exitCode: 1,
  });
});

const readOnly = (store: MemoryStore): ReadOnlyStore => ({
  get: (name, range) => store.get(name, range),
  head: (name) => store.head(name),
  list: (prefix) => store.list(prefix),
  close: () => undefined,
});

test('archive: a backup with a huge object is damaged, and its neighbours are still listed', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'archive-'));
  afterAll(() => rmSync(scratch, { recursive: true }));
  const { objects } = await sampleBackup();
  writeObjects(join(scratch, 'bkp_a'), objects);
  for (const [folder, name] of [
    ['bkp_key', 'key'],
    ['bkp_manifest', 'manifest'],
  ] as const) {
    writeObjects(join(scratch, folder), objects);
    mkdirSync(join(scratch, folder), { recursive: true });
    writeFileSync(join(scratch, folder, name), '');
    truncateSync(join(scratch, folder, name), 400 << 20);
  }
  const [listed, key, manifest] = await Promise.all([
    runArchive(['ls', scratch]),
    ...['bkp_key', 'bkp_manifest'].map((name) => runArchive(['verify', join(scratch, name)], { ARCHIVE_PASSPHRASE: passphrase })),
  ]);
  deepEqual(
    lines(listed?.out ?? '').map((line) => line.split('  ').slice(0, 3)),
    [
      [`${scratch}/bkp_a`, 'complete', 'key: passphrase'],
      [`${scratch}/bkp_key`, 'complete', 'key: UNREADABLE'],
      [`${scratch}/bkp_manifest`, 'complete', 'key: passphrase'],
    ],
  );
  match(key?.err ?? '', /^bkp_a\/key: has 419,430,400 bytes; the limit is 65,536\n$/);
  match(manifest?.err ?? '', /^manifest: has 419,430,400 bytes; the limit is 68,157,440\n$/);
  deepEqual([listed?.code, key?.code, manifest?.code], [0, 1, 1]);
});

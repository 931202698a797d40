/** The guarantees of an ObjectStore that backups rely on, for every implementation. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasChecksum, type ObjectStore, StorageError } from '../../../shared/destination/index.ts';
import { type Stops, stopAll } from './store-stands.ts';

export interface StoreStand {
  /** Opens a store at this folder of one bucket. */
  open(folder: string): Promise<ObjectStore>;
  /** Whether the store lists unfinished uploads. */
  readonly listsUploads: boolean;
}

const code = (expected: StorageError['code']) => (error: unknown) => error instanceof StorageError && error.code === expected;
const same = (found: Uint8Array, expected: Uint8Array) => ok(Buffer.from(found).equals(expected), 'different bytes');
const named = async (store: ObjectStore, prefix = '') =>
  (await Array.fromAsync(store.list(prefix))).map(({ name }) => name).sort();

/** Smaller parts than production's (8 MiB) take less CPU, for stores that allow them. */
export const storeSuite = (name: string, start: (stops: Stops) => Promise<StoreStand>, partBytes = 8 << 20): void => {
  const eighth = partBytes / 8;
  describe(name, () => {
    let stand: StoreStand;
    let store: ObjectStore;
    const stops: Stops = [];
    const open = async (folder: string): Promise<ObjectStore> => {
      const opened = await stand.open(folder);
      stops.push(() => opened.close());
      return opened;
    };
    beforeAll(async () => {
      stand = await start(stops);
      store = await open('some/folder');
    });
    afterAll(() => stopAll(stops));

    for (const size of [0, 1, 1_000, 3 * eighth])
      test(`an object of ${size} bytes is read as it was put`, async () => {
        const bytes = randomBytes(size);
        await store.put('put/object', bytes);
        same(await store.get('put/object'), bytes);
        equal((await store.head('put/object'))?.size, size);
      });

    for (const name of ['key', 'chunk/00000000-0000', 'a b', 'a+b', 'ü/%41', "it's (one) of *these*!", 'x~y=z&w'])
      test(`an object may be named ${name}`, async () => {
        await store.put(`names/${name}`, Buffer.from(name));
        equal(Buffer.from(await store.get(`names/${name}`)).toString(), name);
        ok((await named(store, 'names/')).includes(`names/${name}`));
        await store.remove([`names/${name}`]);
        equal(await store.head(`names/${name}`), undefined);
      });

    test('a put replaces an existing object', async () => {
      await store.put('again', Buffer.from('first and longer'));
      await store.put('again', Buffer.from('second'));
      equal(Buffer.from(await store.get('again')).toString(), 'second');
    });

    test('a missing object is an error, never empty bytes', async () => {
      await rejects(store.get('absent'), code('missing'));
      await rejects(store.get('absent', { offset: 0, length: 1 }), code('missing'));
      await rejects(store.get('absent', { offset: 0, length: 0 }), code('missing'));
      equal(await store.head('absent'), undefined);
    });

    test('a range returns exactly the requested bytes', async () => {
      const bytes = randomBytes(10_000);
      await store.put('range', bytes);
      for (const [offset, length] of [
        [0, 1],
        [0, 10_000],
        [1, 9_999],
        [5_000, 100],
        [9_999, 1],
        [10_000, 0],
        [7, 0],
      ] as const)
        same(await store.get('range', { offset, length }), bytes.subarray(offset, offset + length));
    });

    test('a range beyond the object is an error, not fewer bytes', async () => {
      await store.put('short', randomBytes(100));
      await rejects(store.get('short', { offset: 50, length: 51 }), code('invalid'));
      await rejects(store.get('short', { offset: 100, length: 1 }), code('invalid'));
    });

    for (const [what, sizes] of [
      ['nothing', []],
      ['a few bytes', [3]],
      ['one part exactly', [partBytes]],
      ['two parts exactly, in halves', [4 * eighth, 4 * eighth, partBytes]],
      ['pieces that do not match parts', [5 * eighth + 1, 7, 0, 9 * eighth, 3 * eighth - 13]],
      ['one piece of several parts', [17 * eighth + 5]],
    ] as const)
      test(`an upload of ${what} is read as it was written`, async () => {
        const pieces = sizes.map((size) => randomBytes(size));
        const replace = async (bytes: Buffer): Promise<void> => {
          const other = store.upload('upload/object');
          await other.write([bytes]);
          await other.finish();
        };
        const upload = store.upload('upload/object');
        for (const piece of pieces) await upload.write([piece]);
        const whole = Buffer.concat(pieces);
        const { size, checksum } = await upload.finish();
        same(await store.get('upload/object'), whole);
        const stored = await store.head('upload/object');
        deepEqual([size, stored?.size], [whole.length, whole.length]);
        ok(hasChecksum(stored!, checksum) ?? checksum === undefined, 'the store reports another checksum, or none');
        const others = randomBytes(whole.length);
        await replace(others);
        if (whole.length > 0)
          ok(!hasChecksum((await store.head('upload/object'))!, checksum), 'other bytes have the same checksum');
        if (whole.length > partBytes)
          same(
            await store.get('upload/object', { offset: partBytes - 5, length: 10 }),
            others.subarray(partBytes - 5, partBytes + 5),
          );
        await store.remove(['upload/object']);
      });

    test('an upload is not visible before it is finished', async () => {
      const upload = store.upload('visible/object');
      await upload.write([randomBytes(9 * eighth), randomBytes(9 * eighth)]);
      equal(await store.head('visible/object'), undefined);
      deepEqual(await named(store, 'visible/'), []);
      await upload.finish();
      deepEqual(await named(store, 'visible/'), ['visible/object']);
      await store.remove(['visible/object']);
    });

    test('an upload does not change an existing object before it is finished, or if it is aborted', async () => {
      await store.put('over', Buffer.from('before'));
      const upload = store.upload('over');
      await upload.write([randomBytes(9 * eighth)]);
      equal(Buffer.from(await store.get('over')).toString(), 'before');
      await upload.abort();
      equal(Buffer.from(await store.get('over')).toString(), 'before');
    });

    for (const size of [0, 10, 20 * eighth])
      test(`an upload aborted after ${size} bytes leaves nothing behind; abort is idempotent`, async () => {
        const upload = store.upload('aborted/object');
        if (size > 0) await upload.write([randomBytes(size)]);
        await upload.abort();
        await upload.abort();
        equal(await store.head('aborted/object'), undefined);
        equal(await store.abortUnfinishedUploads('aborted/'), 0);
        await rejects(upload.write([Buffer.from('more')]), code('invalid'));
        await rejects(upload.finish(), code('invalid'));
      });

    test('a finished upload rejects further bytes, and abort does not delete it', async () => {
      const upload = store.upload('finished');
      await upload.write([Buffer.from('all')]);
      await upload.finish();
      await rejects(upload.write([Buffer.from('more')]), code('invalid'));
      await upload.abort();
      equal(Buffer.from(await store.get('finished')).toString(), 'all');
    });

    test('abortUnfinishedUploads aborts uploads by prefix, others continue', async () => {
      const [lost, other] = [store.upload('lost/object'), store.upload('other/object')];
      await lost.write([randomBytes(9 * eighth)]);
      await other.write([randomBytes(9 * eighth)]);
      let aborted = await store.abortUnfinishedUploads('lost/');
      // A store lists an upload once it has begun, which happens while its first part is written.
      while (stand.listsUploads && aborted === 0) aborted = await store.abortUnfinishedUploads('lost/');
      equal(aborted, stand.listsUploads ? 1 : 0);
      equal(await store.abortUnfinishedUploads('lost/'), 0);
      equal(await store.head('lost/object'), undefined);
      equal((await other.finish()).size, 9 * eighth);
      await lost.abort();
      await store.remove(['other/object']);
    });

    test('a list contains exactly the objects below its prefix, with their sizes', async () => {
      const names = Array.from({ length: 30 }, (_, n) => `list/${n % 3}/${String(n).padStart(4, '0')}`);
      await Promise.all(names.map((name, n) => store.put(name, Buffer.alloc(n))));
      await store.put('listed-not', Buffer.alloc(1));
      deepEqual(await named(store, 'list/'), names.toSorted());
      deepEqual(await named(store, 'list/1/'), names.filter((name) => name.startsWith('list/1/')).sort());
      deepEqual(await named(store, 'list/1/001'), ['list/1/0010', 'list/1/0013', 'list/1/0016', 'list/1/0019']);
      deepEqual(await named(store, 'nothing/'), []);
      const sizes = await Array.fromAsync(store.list('list/2/'));
      ok(sizes.every(({ name, size }) => size === Number(name.slice(-4))));
    });

    test('a list with an aborted signal yields nothing', async () => {
      await store.put('ended/object', Buffer.alloc(1));
      await rejects(Array.fromAsync(store.list('ended/', AbortSignal.abort(new Error('enough')))), /enough/);
    });

    test('an object above maxBytes is rejected', async () => {
      const bytes = randomBytes(1_000);
      await store.put('large', bytes);
      same(await store.get('large', { maxBytes: 1_000 }), bytes);
      await rejects(store.get('large', { maxBytes: 999 }), code('invalid'));
    });

    test('objects are deleted; a missing object is no error', async () => {
      const names = ['gone/a', 'gone/b', 'gone/c/d'];
      await Promise.all(names.map((name) => store.put(name, Buffer.from(name))));
      await store.remove(['gone/a', 'gone/none', 'gone/c/d']);
      deepEqual(await named(store, 'gone/'), ['gone/b']);
      await store.remove(['gone/b']);
      await store.remove(['gone/b']);
      await store.remove([]);
      deepEqual(await named(store, 'gone/'), []);
    });

    test('stores of different folders do not see each other', async () => {
      const [mine, theirs, beside] = await Promise.all([open('mine'), open('theirs'), open('mine-too')]);
      await mine.put('object', Buffer.from('mine'));
      await theirs.put('object', Buffer.from('theirs'));
      await beside.put('object', Buffer.from('beside'));
      equal(Buffer.from(await mine.get('object')).toString(), 'mine');
      deepEqual(await named(mine), ['object']);
      await theirs.remove(['object']);
      deepEqual([await named(mine), await named(theirs), await named(beside)], [['object'], [], ['object']]);
    });

    test('a call with an aborted signal rejects with its reason and leaves nothing', async () => {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      await rejects(store.put('signal', Buffer.from('x'), { signal }), reason);
      await rejects(store.get('signal', undefined, signal), reason);
      const end = new AbortController();
      const upload = store.upload('signal', { signal: end.signal });
      await upload.write([randomBytes(9 * eighth)]);
      end.abort(reason);
      await rejects(upload.finish(), reason);
      await upload.abort();
      equal(await store.head('signal'), undefined);
      equal(await store.abortUnfinishedUploads('signal'), 0);
    });
  });
};

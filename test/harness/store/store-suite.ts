/** The laws of a store: whatever make it is, backups rely on each of these. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ObjectStore, StorageError } from '../../../shared/destination/index.ts';
import { type Stops, stopAll } from './store-stands.ts';

export interface StoreStand {
  /** A store below this folder of one and the same bucket. */
  open(folder: string): Promise<ObjectStore>;
  /** Whether it can tell which uploads were never finished. */
  readonly listsUploads: boolean;
}

const MiB = 1 << 20;
const code = (wanted: StorageError['code']) => (error: unknown) => error instanceof StorageError && error.code === wanted;
const same = (got: Uint8Array, wanted: Uint8Array) => ok(Buffer.from(got).equals(wanted), 'other bytes');
const named = async (store: ObjectStore, prefix = '') =>
  (await Array.fromAsync(store.list(prefix))).map(({ name }) => name).sort();

export const storeSuite = (make: string, start: (stops: Stops) => Promise<StoreStand>): void => {
  describe(make, () => {
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

    for (const size of [0, 1, 1_000, 3 * MiB])
      test(`an object of ${size} bytes is read back as it was put`, async () => {
        const bytes = randomBytes(size);
        await store.put('put/object', bytes);
        same(await store.get('put/object'), bytes);
        deepEqual(await store.head('put/object'), { size });
      });

    for (const name of ['key', 'chunk/00000000-0000', 'a b', 'a+b', 'ü/%41', "it's (one) of *these*!", 'x~y=z&w'])
      test(`an object may be named ${name}`, async () => {
        await store.put(`names/${name}`, Buffer.from(name));
        equal(Buffer.from(await store.get(`names/${name}`)).toString(), name);
        ok((await named(store, 'names/')).includes(`names/${name}`));
        await store.remove([`names/${name}`]);
        equal(await store.head(`names/${name}`), undefined);
      });

    test('what is put again replaces what was there', async () => {
      await store.put('again', Buffer.from('first and longer'));
      await store.put('again', Buffer.from('second'));
      equal(Buffer.from(await store.get('again')).toString(), 'second');
    });

    test('what is not there is missing, and never empty bytes', async () => {
      await rejects(store.get('absent'), code('missing'));
      await rejects(store.get('absent', { offset: 0, length: 1 }), code('missing'));
      await rejects(store.get('absent', { offset: 0, length: 0 }), code('missing'));
      equal(await store.head('absent'), undefined);
    });

    test('a range is exactly the bytes asked for', async () => {
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

    test('a range that the object does not hold is an error, not fewer bytes', async () => {
      await store.put('short', randomBytes(100));
      await rejects(store.get('short', { offset: 50, length: 51 }), code('invalid'));
      await rejects(store.get('short', { offset: 100, length: 1 }), code('invalid'));
    });

    for (const [what, sizes] of [
      ['nothing', []],
      ['a few bytes', [3]],
      ['one part exactly', [8 * MiB]],
      ['two parts exactly, in halves', [4 * MiB, 4 * MiB, 8 * MiB]],
      ['parts that no piece fits', [5 * MiB + 1, 7, 0, 9 * MiB, 3 * MiB - 13]],
      ['one piece of several parts', [17 * MiB + 5]],
    ] as const)
      test(`an upload of ${what} is read back as it was written`, async () => {
        const pieces = sizes.map((size) => randomBytes(size));
        const upload = store.upload('upload/object');
        for (const piece of pieces) await upload.write([piece]);
        const whole = Buffer.concat(pieces);
        deepEqual(await upload.finish(), { size: whole.length });
        same(await store.get('upload/object'), whole);
        deepEqual(await store.head('upload/object'), { size: whole.length });
        if (whole.length > 8 * MiB)
          same(await store.get('upload/object', { offset: 8 * MiB - 5, length: 10 }), whole.subarray(8 * MiB - 5, 8 * MiB + 5));
        await store.remove(['upload/object']);
      });

    test('nothing of an upload is visible before it is finished', async () => {
      const upload = store.upload('visible/object');
      await upload.write([randomBytes(9 * MiB), randomBytes(9 * MiB)]);
      equal(await store.head('visible/object'), undefined);
      deepEqual(await named(store, 'visible/'), []);
      await upload.finish();
      deepEqual(await named(store, 'visible/'), ['visible/object']);
      await store.remove(['visible/object']);
    });

    test('an upload over an object leaves it as it is until it is finished, and for ever when it is aborted', async () => {
      await store.put('over', Buffer.from('before'));
      const upload = store.upload('over');
      await upload.write([randomBytes(9 * MiB)]);
      equal(Buffer.from(await store.get('over')).toString(), 'before');
      await upload.abort();
      equal(Buffer.from(await store.get('over')).toString(), 'before');
    });

    for (const size of [0, 10, 20 * MiB])
      test(`an upload aborted after ${size} bytes leaves nothing behind, however often it is aborted`, async () => {
        const upload = store.upload('aborted/object');
        if (size > 0) await upload.write([randomBytes(size)]);
        await upload.abort();
        await upload.abort();
        equal(await store.head('aborted/object'), undefined);
        equal(await store.abortUnfinishedUploads('aborted/'), 0);
        await rejects(upload.write([Buffer.from('late')]), code('invalid'));
        await rejects(upload.finish(), code('invalid'));
      });

    test('an upload that is finished takes no more, and stays when it is aborted', async () => {
      const upload = store.upload('finished');
      await upload.write([Buffer.from('all')]);
      await upload.finish();
      await rejects(upload.write([Buffer.from('more')]), code('invalid'));
      await upload.abort();
      equal(Buffer.from(await store.get('finished')).toString(), 'all');
    });

    test('uploads that nobody finished are ended by their prefix, others go on', async () => {
      const [lost, other] = [store.upload('lost/object'), store.upload('other/object')];
      await lost.write([randomBytes(9 * MiB)]);
      await other.write([randomBytes(9 * MiB)]);
      // A part may still be on its way.
      await new Promise((done) => setTimeout(done, 50));
      equal(await store.abortUnfinishedUploads('lost/'), stand.listsUploads ? 1 : 0);
      equal(await store.abortUnfinishedUploads('lost/'), 0);
      equal(await store.head('lost/object'), undefined);
      deepEqual(await other.finish(), { size: 9 * MiB });
      await lost.abort();
      await store.remove(['other/object']);
    });

    test('a list holds every object below its prefix, with its size, and no other', async () => {
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

    test('a list that was ended yields nothing', async () => {
      await store.put('ended/object', Buffer.alloc(1));
      await rejects(Array.fromAsync(store.list('ended/', AbortSignal.abort(new Error('enough')))), /enough/);
    });

    test('an object that is larger than the reader takes is refused', async () => {
      const bytes = randomBytes(1_000);
      await store.put('large', bytes);
      same(await store.get('large', { maxBytes: 1_000 }), bytes);
      await rejects(store.get('large', { maxBytes: 999 }), code('invalid'));
    });

    test('objects are removed, and what is not there is no error', async () => {
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

    test('what is done with an aborted signal ends with its reason, and leaves nothing', async () => {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      await rejects(store.put('signal', Buffer.from('x'), { signal }), reason);
      await rejects(store.get('signal', undefined, signal), reason);
      const end = new AbortController();
      const upload = store.upload('signal', { signal: end.signal });
      await upload.write([randomBytes(9 * MiB)]);
      end.abort(reason);
      await rejects(upload.finish(), reason);
      await upload.abort();
      equal(await store.head('signal'), undefined);
      equal(await store.abortUnfinishedUploads('signal'), 0);
    });
  });
};

/** A database above documents that never change: it behaves as one that contains them itself. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { below, lastKey, pathKey } from '../../../../../../infra/local/engines/firestore/base/path-key.ts';
import { awaited, completed, taken } from '../../../../../../infra/local/engines/firestore/base/pending.ts';
import type { Micros } from '../../../../../../infra/local/engines/firestore/base/types.ts';
import type { BaseDocuments } from '../../../../../../infra/local/engines/firestore/storage/base-documents.ts';
import type { StoredDatabase } from '../../../../../../infra/local/engines/firestore/storage/database.ts';
import { day, hour, minute } from '../../../../../../infra/local/engines/firestore/value/timestamps.ts';
import { all } from '../../../../../harness/builders/sample-archive.ts';
import {
  commit,
  documentJson,
  holds,
  type Json,
  makeDatabase,
  makeFolder,
  remove,
  set,
} from '../../../../../harness/firestore/encoded.ts';

const n = (value: number): Json => ({ n: { integerValue: String(value) } });
const start = Date.UTC(2026, 0, 1) * 1000;
const makeClock = () => {
  const clock = Object.assign(() => clock.now, { now: start });
  return clock;
};

/** What another database contains now, in batches of two that come later. */
const baseOf = (source: StoredDatabase): BaseDocuments => {
  const at = source.readTime();
  return {
    get: async (key) => source.get(key, at),
    scan: async function* (from, to, { backwards }) {
      const documents = [...source.scan(from, to, { at, backwards })];
      for (let i = 0; i < documents.length; i += 2) {
        await Promise.resolve();
        yield documents.slice(i, i + 2);
      }
    },
  };
};

const read = (database: StoredDatabase, path: string, at: Micros = database.readTime()) =>
  completed(taken(database.fetch(pathKey(path), at)));

const contents = async (database: StoredDatabase, at: Micros, backwards = false): Promise<readonly Json[]> => {
  const documents = await all(awaited(database.scanAll({ from: '', to: lastKey, backwards }, at)));
  return documents.map(({ bytes }) => documentJson(bytes));
};

const paths = ['a/1', 'a/1/b/1', 'a/1/b/2', 'a/2', 'a/3', 'b/__id7__', 'b/x', 'c/1'] as const;
const change = fc.record({ path: fc.constantFrom(...paths), value: fc.option(fc.nat(3)) });
const writeOf = ({ path, value }: { readonly path: string; readonly value: number | null }): Uint8Array =>
  value === null ? remove(path) : set(path, n(value));

test('base: any changes above it have the same result, at any time since, as if all had been in one database', (t) =>
  holds(
    t,
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      fc.array(fc.record({ change, gap: fc.integer({ min: 1, max: 5 * minute }) }), { maxLength: 20 }),
      async (before, after) => {
        const clock = makeClock();
        const [source, plain] = [makeDatabase(t, { clock }), makeDatabase(t, { clock })];
        for (const one of before) for (const database of [source, plain]) await commit(database, writeOf(one));
        const layered = makeDatabase(t, { clock, base: baseOf(source) });
        clock.now += minute;
        const times = [clock.now];
        for (const { change: one, gap } of after) {
          const results = [await commit(layered, writeOf(one)), await commit(plain, writeOf(one))];
          assert.equal(results[0]?.commitTime, results[1]?.commitTime);
          times.push(clock.now);
          clock.now += gap;
        }
        for (const at of times.filter((time) => time >= clock.now - hour)) {
          assert.deepEqual(await contents(layered, at), await contents(plain, at));
          assert.deepEqual(await contents(layered, at, true), (await contents(plain, at)).toReversed());
          for (const path of paths)
            assert.deepEqual((await read(layered, path, at))?.updateTime, (await read(plain, path, at))?.updateTime);
        }
      },
    ),
    100,
  ));

test('base: a deletion above it stays, after versions were collected, the files compacted and the folder opened again', async (t) => {
  const clock = makeClock();
  const source = makeDatabase(t, { clock });
  await commit(source, set('a/1', n(1)), set('a/2', n(2)), set('a/3', n(3)));
  const base = baseOf(source);
  const dir = makeFolder(t);
  const before = makeDatabase(t, { clock, dir, base });
  clock.now += minute;
  await commit(before, remove('a/1'));
  await commit(before, set('a/3', n(4)));
  clock.now += day;
  before.sweep();
  const pathsOf = async (database: StoredDatabase): Promise<readonly string[]> =>
    (await all(awaited(database.scanAll({ from: '', to: lastKey }, database.readTime())))).map(({ path }) => path);
  assert.deepEqual(await pathsOf(before), ['a/2', 'a/3']);
  await before.compact();
  before.close();
  const after = makeDatabase(t, { clock, dir, base });
  assert.deepEqual(await pathsOf(after), ['a/2', 'a/3']);
  assert.equal(await read(after, 'a/1'), undefined);
  // A transformation or a precondition sees the base as well.
  await commit(after, set('a/2', n(5), { currentDocument: { exists: true } }));
  assert.equal((await read(after, 'a/2'))?.createTime, source.get(pathKey('a/2'), source.readTime())?.createTime);
});

test('base: a scan shows its time, whatever commits change before, at and behind it meanwhile', async (t) => {
  const clock = makeClock();
  const source = makeDatabase(t, { clock });
  const ids = Array.from({ length: 20 }, (_, i) => `a/${String(i).padStart(2, '0')}`);
  for (const path of ids) await commit(source, set(path, n(0)));
  const database = makeDatabase(t, { clock, base: baseOf(source) });
  clock.now += minute;
  const at = database.readTime();
  const { from, to } = below(pathKey('a'));
  const seen: Json[] = [];
  let step = 0;
  for await (const { path, bytes } of awaited(database.scanAll({ from, to }, at))) {
    seen.push(documentJson(bytes));
    const i = ids.indexOf(path);
    for (const other of [i - 1, i, i + 1, i + 5]) {
      const target = ids[other];
      if (target === undefined) continue;
      await commit(database, step % 2 === 0 ? remove(target) : set(target, n(++step)));
    }
    step += 1;
    await commit(database, set(`a/${String(step).padStart(2, '0')}x`, n(1)));
  }
  assert.deepEqual(
    seen.map(({ name }) => String(name).split('/documents/')[1]),
    ids,
  );
  assert.ok(seen.every(({ fields }) => JSON.stringify(fields) === JSON.stringify(n(0))));
});

test('base: listeners hear what a document of the base was before its change', async (t) => {
  const source = makeDatabase(t);
  await commit(source, set('a/1', n(1)));
  const database = makeDatabase(t, { base: baseOf(source) });
  const heard: string[] = [];
  database.subscribe((_time, changes) => {
    for (const { path, before, after } of changes)
      heard.push(JSON.stringify([path, before && documentJson(before.bytes).fields, after && documentJson(after.bytes).fields]));
  });
  await commit(database, set('a/1', n(2)));
  await commit(database, remove('a/1'));
  assert.deepEqual(heard, [JSON.stringify(['a/1', n(1), n(2)]), JSON.stringify(['a/1', n(2), undefined])]);
});

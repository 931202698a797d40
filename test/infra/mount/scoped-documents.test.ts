/** A part of a backup: what is outside is absent and not read, whatever is asked for and in whichever direction. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import type { BaseDocuments, StoredDocument } from '../../../infra/local/engines/firestore/index.ts';
import { below, depth, lastKey, pathKey } from '../../../infra/local/engines/firestore/index.ts';
import { type MountScope, ScopedDocuments, scopeWords } from '../../../infra/mount/scoped-documents.ts';

const paths = [
  'orders/1',
  'users/ada',
  'users/ada/notes/g',
  'users/ada/orders/1',
  'users/ada/orders/1/lines/1',
  'users/grace/orders/2',
  'users!/x',
  'usersx/y',
  'views/1',
];
const documents = paths
  .map((path): StoredDocument => ({ path, key: pathKey(path), createTime: 1, updateTime: 1, bytes: new Uint8Array() }))
  .sort((a, b) => (a.key < b.key ? -1 : 1));

/** Two documents a batch, and what was read of them. */
const base = () => {
  const read = new Set<string>();
  const all: BaseDocuments = {
    get: async (key) => {
      const found = documents.find((one) => one.key === key);
      if (found) read.add(found.path);
      return found;
    },
    scan: async function* (from, to, { backwards, segments }) {
      const within = documents.filter(({ key }) => from <= key && key < to);
      const wanted = within.filter(({ key }) => segments === undefined || depth(key) === segments);
      for (const { path } of wanted) read.add(path);
      const ordered = backwards ? wanted.reverse() : wanted;
      for (let n = 0; n < ordered.length; n += 2) yield ordered.slice(n, n + 2);
    },
  };
  return { all, read };
};

const scan = async (part: BaseDocuments, within = { from: '', to: lastKey }, options = {}): Promise<readonly string[]> =>
  (await Array.fromAsync(part.scan(within.from, within.to, options))).flat().map(({ path }) => path);
const parts = (scope: MountScope) => {
  const { all, read } = base();
  return { part: new ScopedDocuments(all, scope), read };
};

test('scope: a collection is served with all that is below it, and nothing else is read', async () => {
  const { part, read } = parts({ collections: ['users'], includeSubcollections: true });
  const expected = documents.map(({ path }) => path).filter((path) => path.startsWith('users/'));
  equal(expected.length, 5);
  deepEqual(await scan(part), expected);
  deepEqual(await scan(part, undefined, { backwards: true }), expected.toReversed());
  deepEqual(await scan(part, undefined, { segments: 4 }), ['users/ada/notes/g', 'users/ada/orders/1', 'users/grace/orders/2']);
  deepEqual(await scan(part, below(pathKey('users/ada'))), expected.slice(1, 4));
  for (const path of ['orders', 'usersx', 'users!']) deepEqual(await scan(part, below(pathKey(path))), []);
  for (const path of paths) {
    const found = await part.get(pathKey(path));
    equal(found?.path, path.startsWith('users/') ? path : undefined);
  }
  ok(
    [...read].every((path) => path.startsWith('users/')),
    [...read].join(),
  );
});

test('scope: without subcollections only the documents directly in the collections are served', async () => {
  const { part } = parts({ collections: ['users', 'orders', 'users/ada/orders'], includeSubcollections: false });
  deepEqual(await scan(part), ['orders/1', 'users/ada', 'users/ada/orders/1']);
  deepEqual(await scan(part, undefined, { backwards: true }), ['users/ada/orders/1', 'users/ada', 'orders/1']);
  equal(await part.get(pathKey('users/ada/notes/g')), undefined);
  equal((await part.get(pathKey('users/ada')))?.path, 'users/ada');
});

test('scope: collections within each other are served once, in the order of their names', async () => {
  const { part } = parts({ collections: ['views', 'users/ada/orders', 'users', 'users/ada/notes'], includeSubcollections: true });
  deepEqual(
    await scan(part),
    documents.map(({ path }) => path).filter((path) => /^(users|views)\//.test(path)),
  );
});

test('scope: says what is served, and that the rest is absent', () => {
  equal(
    scopeWords({ collections: ['users'], includeSubcollections: true }),
    'Only users is served, with what is below the documents. Everything else is absent',
  );
  equal(
    scopeWords({ collections: ['users', 'orders'], includeSubcollections: false }),
    'Only users, orders are served, without what is below the documents. Everything else is absent',
  );
});

/** The documents of a backup by key, with few ranged reads. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { below, pathKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import type { StoredDocument } from '../../../infra/local/engines/firestore/index.ts';
import { ArchiveDocuments } from '../../../infra/mount/archive-documents.ts';
import { compareNames, ShardWriter } from '../../../shared/archive/index.ts';
import {
  addAll,
  all,
  Bucket,
  chunkName,
  dataKey,
  documentOf,
  indexName,
  root,
  type Sample,
  samples,
  settle,
  writing,
} from '../../harness/builders/sample-archive.ts';

const mounted = async (documents: readonly Sample[]) => {
  const bucket = new Bucket();
  const writer = new ShardWriter(0, writing('mount'));
  addAll(writer, documents);
  const { manifest } = await settle(bucket, { writer, options: writing('mount') });
  const open = () =>
    new ArchiveDocuments(
      bucket.open(manifest, () => dataKey, true),
      (error) => error as Error,
    );
  bucket.fetches = [];
  return { bucket, open, leaves: () => bucket.fetches.filter(({ name }) => name === chunkName).length };
};

const sample = (path: string, seconds = 1_700_000_000): Sample => {
  const [name, updated] = [`${root}/${path}`, { seconds, nanos: 1_000 }];
  return { name: Buffer.from(name), bytes: documentOf(name, { text: 'x'.repeat(900), created: updated, updated }), updated };
};
const inOrder = (documents: Sample[]): Sample[] => documents.sort((a, b) => compareNames(a.name, b.name));
const pathOf = ({ name }: Sample): string => name.toString().slice(root.length + 1);
const scanned = async (documents: ArchiveDocuments, range: { from: string; to: string }, options = {}) =>
  (await all(documents.scan(range.from, range.to, options))).flat();
const things = below(pathKey('things'));

test('mount: a scan in either direction gives every document of its range, byte for byte, with its times', async () => {
  const documents = samples(6_000, { textBytes: 400 });
  const { open, leaves } = await mounted(documents);
  const base = open();
  const found = await scanned(base, things);
  deepEqual(
    found.map(({ path }) => path),
    documents.map(pathOf),
  );
  ok(found.every(({ bytes }, i) => documents[i]?.bytes.equals(bytes)));
  equal(found[3]?.updateTime, (documents[3]?.updated.seconds ?? 0) * 1e6 + Math.floor((documents[3]?.updated.nanos ?? 0) / 1e3));
  ok(leaves() > 3);
  deepEqual((await scanned(base, things, { backwards: true })).map(({ path }) => path).reverse(), documents.map(pathOf));
  const [from, to] = [pathKey('things/0001000'), pathKey('things/0003000')];
  for (const backwards of [false, true]) {
    const part = (await scanned(base, { from, to }, { backwards })).map(({ key }) => key);
    const expected = documents.map((one) => pathKey(pathOf(one))).filter((key) => from <= key && key < to);
    deepEqual(part, backwards ? expected.reverse() : expected);
  }
  deepEqual(await scanned(base, below(pathKey('others'))), []);
});

test('mount: every document is found by its key, one that does not exist is not, and the first takes two ranged reads', async () => {
  const documents = samples(5_000, { textBytes: 400 });
  const { bucket, open } = await mounted(documents);
  const base = open();
  const first = documents[2_500] as Sample;
  ok(first.bytes.equals((await base.get(pathKey(pathOf(first))))?.bytes ?? Buffer.alloc(0)));
  deepEqual(
    bucket.fetches.map(({ name }) => name),
    [indexName, chunkName],
  );
  for (const one of documents) ok(one.bytes.equals((await base.get(pathKey(pathOf(one))))?.bytes ?? Buffer.alloc(0)));
  for (const path of ['a/b', 'things/0000000x', 'things/0000006', 'zzz/1']) equal(await base.get(pathKey(path)), undefined, path);
});

test('mount: a query over one collection reads its leaves only, and none of large subcollections between its documents', async () => {
  const documents = inOrder([
    ...Array.from({ length: 3_000 }, (_, i) => sample(`a/${String(i).padStart(5, '0')}`)),
    ...Array.from({ length: 10 }, (_, i) => sample(`users/${i}`)),
    ...Array.from({ length: 6_000 }, (_, i) => sample(`users/4/orders/${String(i).padStart(5, '0')}`)),
    ...Array.from({ length: 3_000 }, (_, i) => sample(`z/${String(i).padStart(5, '0')}`)),
  ]);
  const { bucket, open, leaves } = await mounted(documents);
  await scanned(open(), below(''));
  const whole = leaves();
  ok(whole > 20);
  for (const backwards of [false, true]) {
    bucket.fetches = [];
    const users = await scanned(open(), below(pathKey('users')), { segments: 2, backwards });
    deepEqual(
      users.map(({ path }: StoredDocument) => path).sort(),
      Array.from({ length: 10 }, (_, i) => `users/${i}`),
    );
    ok(leaves() <= 4, `${leaves()} of ${whole} leaves`);
  }
  // A caller that takes one batch has fetched little more.
  bucket.fetches = [];
  for await (const batch of open().scan('', '\xff', {})) {
    ok(batch.length > 0);
    break;
  }
  equal(leaves(), 1);
});

import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { seed } from '../../../../infra/local/engines/firestore/seed/seed-documents.ts';
import { planRanges, probeSource, readRange } from '../../../../shared/firestore/index.ts';
import {
  awkward,
  contents,
  name,
  root,
  sourceOf,
  startServer,
  take,
  write,
} from '../../../harness/firestore/firestore-server.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startServer();
  await write(server, { paths: awkward });
  await seed(server.databases, { name, count: 2_000 });
});
afterAll(() => server.stop());
beforeEach(() => server.faults.clear());

test('readRange: reads the whole database byte for byte and in order', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await probeSource(source);
  const { documents, reader } = await take(source, { readTime });
  source.close();
  deepEqual(documents, contents(server));
  equal(reader.documents, documents.length);
  equal(reader.reads, documents.length);
  equal(
    reader.bytes,
    documents.reduce((bytes, [, hex]) => bytes + hex.length / 2, 0),
  );
  equal(reader.lastName, `${root}/${documents.at(-1)?.[0]}`);
  equal(
    [...reader.collections.values()].reduce((a, b) => a + b),
    documents.length,
  );
  equal(reader.collections.get('entries'), documents.filter(([path]) => path.split('/').at(-2) === 'entries').length);
});

test('planRanges: the ranges of any plan together are the whole database', async () => {
  for (const refuse of [0, 1, 100]) {
    server.faults.clear();
    if (refuse > 0) server.faults.add({ method: 'PartitionQuery', times: refuse, status: 'UNIMPLEMENTED' });
    const source = sourceOf(server.url);
    const { ranges, readTime, documents } = await planRanges(source, { documentsPerRange: 200 });
    ok(ranges.length > 1, `${ranges.length} ranges`);
    const parts = [];
    for (const range of ranges) parts.push((await take(source, { readTime, range })).documents);
    source.close();
    deepEqual(parts.flat(), contents(server));
    equal(documents, parts.flat().length);
    // Split evenly by the source, or by root collection: no range is much larger than requested.
    if (refuse < 2) ok(Math.max(...parts.map((part) => part.length)) < 2 * 200, String(parts.map((part) => part.length)));
  }
});

test('readRange: finds times and names without decoding documents', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await probeSource(source);
  const database = server.databases.open(name);
  const stored = [...database.scan('', '\xff', { at: database.readTime() })];
  let n = 0;
  for await (const batch of readRange(source, { range: {}, readTime, batchBytes: 1_000 }))
    for (let i = 0; i < batch.count; i++, n++) {
      const { createdSeconds, createdNanos, updatedSeconds, updatedNanos } = batch.at(i);
      equal(createdSeconds * 1e6 + createdNanos / 1e3, stored[n]?.createTime);
      equal(updatedSeconds * 1e6 + updatedNanos / 1e3, stored[n]?.updateTime);
    }
  source.close();
  equal(n, stored.length);
});

test('readRange: concurrent writes and deletes do not appear', async () => {
  const own = await startServer();
  await write(own, { paths: Array.from({ length: 600 }, (_, i) => `c/${String(i).padStart(4, '0')}`), letters: 400 });
  const expected = contents(own);
  const source = sourceOf(own.url);
  const { readTime } = await probeSource(source);
  let round = 0;
  const onBatch = async () => {
    round += 1;
    await write(own, { paths: ['c/0300', 'c/0599', `c/00${round}-new`, `zz/${round}`], letters: 5, text: String(round) });
  };
  const { documents } = await take(source, { readTime, range: {}, options: { batchBytes: 20_000, onBatch } });
  ok(round > 5);
  deepEqual(documents, expected);
  // Also if another worker resumes the read later.
  const rest = await take(source, { readTime, range: {}, options: { after: `${root}/c/0298` } });
  deepEqual(rest.documents, expected.slice(299));
  source.close();
  await own.stop();
});

test('readRange: an empty range completes and is billed as one read', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await probeSource(source);
  const { documents, reader } = await take(source, { readTime, range: { from: 'nothing/a', to: 'nothing/b' } });
  source.close();
  deepEqual(documents, []);
  equal(reader.reads, 1);
});

test('readRange: documents of 1 MiB arrive whole in small batches', async () => {
  const own = await startServer();
  await write(own, { paths: ['a/1', 'a/2'], letters: 1_048_000 });
  await write(own, { paths: ['a/1/b/1', 'a/3'], letters: 10 });
  const source = sourceOf(own.url);
  const { readTime } = await probeSource(source);
  deepEqual((await take(source, { readTime, range: {}, options: { batchBytes: 4_096 } })).documents, contents(own));
  source.close();
  await own.stop();
});

test('readRange: stops before a new collection at the size limit of the counts, and resumes there', async () => {
  const own = await startServer();
  const ids = ['a', '\u0001'.repeat(200), 'b', '"'.repeat(300), 'c', 'd'];
  await write(own, { paths: ids.flatMap((id) => [`${id}/1`, `${id}/2`]) });
  const source = sourceOf(own.url);
  const { readTime } = await probeSource(source);
  const found: (readonly [string, string])[] = [];
  let after: string | undefined;
  for (let isFull = true; isFull; ) {
    const { documents, reader } = await take(source, { readTime, range: {}, options: { after, collectionBytesMax: 60 } });
    found.push(...documents);
    const size = Buffer.byteLength(JSON.stringify([...reader.collections]));
    const largest = Math.max(...[...reader.collections.keys()].map((id) => Buffer.byteLength(JSON.stringify(id))));
    ok(size < 60 + largest + 30, `${size} bytes`);
    deepEqual([documents.length, reader.bytes > 0], [reader.documents, true]);
    equal(
      [...reader.collections.values()].reduce((a, b) => a + b),
      documents.length,
    );
    ok(reader.reads >= documents.length);
    ({ isFull, lastName: after } = reader);
  }
  source.close();
  deepEqual(found, contents(own));
  await own.stop();
});

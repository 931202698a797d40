import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { countRange, isInRange, planRanges, verifyCount } from '../../../../shared/firestore/index.ts';
import { contents, sourceOf, startServer, take, write } from '../../../harness/firestore/firestore-server.ts';

const numbered = (collection: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${collection}/${String(i).padStart(4, '0')}`);

let server: Firestore;
let all: readonly (readonly [string, string])[];
beforeAll(async () => {
  server = await startServer();
  await write(server, {
    paths: [...numbered('big', 1_500), ...numbered('big/0007/notes', 20), ...numbered('small', 3), ...numbered('tiny', 2)],
  });
  await write(server, { paths: [...numbered('lost/parent/entries', 600), 'last/1'] });
  all = contents(server);
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

const planned = async (options: Parameters<typeof planRanges>[1]) => {
  const source = sourceOf(server.url);
  try {
    const made = await planRanges(source, options);
    const parts = [];
    for (const range of made.ranges) parts.push((await take(source, { readTime: made.readTime, range })).documents);
    return { ...made, parts, read: parts.flat() };
  } finally {
    source.close();
  }
};

test('planRanges: a small database is one counted range without split points', async () => {
  const { ranges, documents, collections, read, reads } = await planned({});
  deepEqual(ranges, [{}]);
  equal(documents, all.length);
  deepEqual(collections, ['big', 'last', 'lost', 'small', 'tiny']);
  deepEqual(read, all);
  equal(server.faults.calls.PartitionQuery, undefined);
  equal(reads, 2 + Math.ceil(all.length / 1_000));
});

test('planRanges: ranges have about the requested size, also below missing parents, and respect the maximum', async () => {
  const { parts, read } = await planned({ documentsPerRange: 300 });
  deepEqual(read, all);
  ok(Math.max(...parts.map((part) => part.length)) <= 450, String(parts.map((part) => part.length)));
  equal((await planned({ documentsPerRange: 10, rangesMax: 3 })).ranges.length, 3);
});

test('planRanges: without kindless split points it splits by root collection and combines small ones', async () => {
  server.faults.add({ method: 'PartitionQuery', status: 'INVALID_ARGUMENT' });
  const { parts, read, ranges } = await planned({ documentsPerRange: 300 });
  deepEqual(read, all);
  deepEqual(
    parts.map((part) => part.length).filter((size) => size > 620),
    [],
  );
  ok(ranges.some((range) => isInRange('small/0000', range) && isInRange('tiny/0001', range)));
});

test('planRanges: works with a source that supports neither split points nor counts', async () => {
  server.faults.add({ method: 'PartitionQuery', times: 99, status: 'UNIMPLEMENTED' });
  server.faults.add({ method: 'RunAggregationQuery', times: 99, status: 'UNIMPLEMENTED' });
  const { read, documents, ranges } = await planned({ documentsPerRange: 300 });
  deepEqual(read, all);
  equal(documents, undefined);
  equal(ranges.length, 5);
});

test('planRanges: a count that times out leaves the plan without a number but with its ranges', async () => {
  server.faults.add({ method: 'RunAggregationQuery', times: 99, status: 'DEADLINE_EXCEEDED' });
  const { read, documents } = await planned({ documentsPerRange: 300 });
  deepEqual(read, all);
  equal(documents, undefined);
});

test('planRanges: includes only the named collections and everything below them, and reports unknown ones', async () => {
  const below = (...paths: readonly string[]) => all.filter(([path]) => paths.some((one) => path.startsWith(`${one}/`)));
  const some = await planned({
    collections: ['small', 'lost', 'nowhere', 'big/0007/notes', 'big/0008/none'],
    documentsPerRange: 300,
  });
  deepEqual(some.read, below('small', 'lost', 'big/0007/notes'));
  equal(some.documents, some.read.length);
  deepEqual(some.unknown, ['nowhere', 'big/0008/none']);
  deepEqual(some.collections, ['big', 'lost', 'small']);
  const rest = await planned({ collections: ['*'], excludeCollections: ['big', 'typo'], documentsPerRange: 300 });
  deepEqual(rest.read, below('last', 'lost', 'small', 'tiny'));
  deepEqual(rest.unknown, ['typo']);
  deepEqual(rest.collections, ['last', 'lost', 'small', 'tiny']);
  const without = await planned({ collections: ['big'], excludeCollections: ['big/0007/notes'] });
  equal(without.read.length, 1_500);
  await rejects(planned({ collections: ['a/b'] }), TypeError);
});

test('planRanges: an empty database has one range and no documents', async () => {
  const empty = await startServer();
  const source = sourceOf(empty.url);
  const { ranges, documents, readTime } = await planRanges(source);
  deepEqual([ranges, documents], [[{}], 0]);
  equal((await take(source, { readTime })).documents.length, 0);
  deepEqual(await verifyCount(source, { range: {}, readTime, read: 0 }), { countVerified: true, reads: 1 });
  source.close();
  await empty.stop();
});

test('planRanges: with point-in-time recovery the read time is a whole minute', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await planRanges(source, { pointInTimeRecovery: true });
  ok(readTime.endsWith(':00.000000Z'), readTime);
  source.close();
});

test('countRange: counts the whole range, otherwise by collection group, otherwise reports no count', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await planRanges(source);
  const range = { from: 'big/0003', to: 'small/0001' };
  const collectionIds = ['big', 'notes', 'entries', 'small', 'last'];
  const read = all.filter(([path]) => isInRange(path, range)).length;
  const asWhole = await countRange(source, { range, readTime });
  deepEqual(asWhole, { documents: read, reads: 3 });
  server.faults.add({ method: 'RunAggregationQuery', status: 'INVALID_ARGUMENT' });
  const byGroup = await countRange(source, { range, readTime, collectionIds });
  deepEqual(byGroup, { documents: read, reads: 6 });
  server.faults.clear();
  server.faults.add({ method: 'RunAggregationQuery', times: 99, status: 'UNIMPLEMENTED' });
  deepEqual(await verifyCount(source, { range, readTime, read, collectionIds }), { countVerified: false, reads: 0 });
  server.faults.clear();
  await rejects(verifyCount(source, { range, readTime, read: read - 1 }), { code: 'COUNT_MISMATCH' });
  source.close();
});

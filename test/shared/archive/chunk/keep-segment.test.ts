/** A segment that nothing changed in is kept as it is: its leaf is never fetched, and the index is as if each record had been kept. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { type Archive, type Segment, ShardWriter, streamLeaves } from '../../../../shared/archive/index.ts';
import {
  addAll,
  all,
  Bucket,
  identity,
  refuses,
  refusesNow,
  type Sample,
  samples,
  settle,
  writing,
} from '../../../harness/builders/sample-archive.ts';

const later = writing('later', { identity: { ...identity, backup: 'bkp_02' } });
const begin = (): ShardWriter => new ShardWriter(0, later);

const parentOf = async (bucket: Bucket, documents: readonly Sample[]): Promise<Archive> => {
  const writer = new ShardWriter(0, writing());
  addAll(writer, documents);
  return (await settle(bucket, writer, writing())).archive;
};

/** The child's manifest lists the chunks it points into, as an incremental backup's does. */
const finish = (bucket: Bucket, writer: ShardWriter, parent: Archive) => {
  const chunks = parent.manifest.objects.filter(({ name }) => name.startsWith('chunk/'));
  const shard = writer.finish();
  const own = shard.chunk ? [shard.chunk, shard.index] : [shard.index];
  return settle(bucket, Object.assign(writer, { finish: () => shard }), later, {
    parent: identity.backup,
    objects: [...own, ...chunks],
  });
};

const namesOf = async (archive: Archive): Promise<string[]> =>
  (await all(streamLeaves(archive))).flatMap(({ segment: { start, count }, leaf }) =>
    Array.from({ length: count }, (_, i) => leaf.name(start + i).toString()),
  );

test('whole segments with new records between and behind them read as all records in the order of names, and no leaf was fetched', async () => {
  const bucket = new Bucket();
  const documents = samples(6_000, { textBytes: 600 });
  const isNew = (i: number): boolean => i === 0 || i === documents.length - 1;
  const parent = await parentOf(
    bucket,
    documents.filter((_, i) => !isNew(i)),
  );
  const segments = await all(parent.segments());
  ok(segments.length > 3);
  bucket.fetches = [];
  const writer = begin();
  addAll(writer, [documents[0]!]);
  for (const segment of segments) writer.keepSegment(segment);
  addAll(writer, [documents.at(-1)!]);
  deepEqual(bucket.fetches, []);
  const { archive, shard } = await finish(bucket, writer, parent);
  equal(shard.records, documents.length);
  deepEqual(
    await namesOf(archive),
    documents.map(({ name }) => name.toString()),
  );
});

test('segments that stand side by side in one leaf become one again, also with single records kept before and behind', async () => {
  const bucket = new Bucket();
  const parent = await parentOf(bucket, samples(20));
  const [{ segment, leaf } = assertSome()] = await all(streamLeaves(parent));
  const cut = (start: number, count: number): Segment => ({ ...segment, start, count, first: leaf.name(start) });
  const writer = begin();
  writer.keep(segment, 0, leaf.name(0));
  writer.keepSegment(cut(1, 6));
  writer.keepSegment(cut(7, 5));
  writer.keep(segment, 12, leaf.name(12));
  const { archive } = await finish(bucket, writer, parent);
  const kept = await all(archive.segments());
  deepEqual(
    kept.map(({ start, count }) => [start, count]),
    [[0, 13]],
  );
});

test('a segment must begin behind all that came before, and what follows behind its beginning', async () => {
  const bucket = new Bucket();
  const documents = samples(20);
  const parent = await parentOf(bucket, documents);
  const [{ segment, leaf } = assertSome()] = await all(streamLeaves(parent));
  const cut = (start: number, count: number): Segment => ({ ...segment, start, count, first: leaf.name(start) });
  for (const wrong of [
    (to: ShardWriter) => [to.keepSegment(cut(5, 3)), to.keepSegment(cut(5, 3))],
    (to: ShardWriter) => [to.keepSegment(cut(5, 3)), to.keepSegment(cut(1, 2))],
    (to: ShardWriter) => [to.keepSegment(cut(5, 3)), addAll(to, [documents[5]!])],
    (to: ShardWriter) => [addAll(to, [documents[7]!]), to.keepSegment(cut(5, 3))],
  ])
    refusesNow(() => wrong(begin()), 'record-invalid');
});

test('what reaches into the next record is found by whoever reads the leaves', async () => {
  const bucket = new Bucket();
  const documents = samples(20);
  const parent = await parentOf(bucket, documents);
  const [segment = assertSome()] = await all(parent.segments());
  const writer = begin();
  writer.keepSegment({ ...segment, count: 10 });
  addAll(writer, [documents[7]!]);
  const { archive } = await finish(bucket, writer, parent);
  await refuses(all(streamLeaves(archive)), 'index-invalid');
});

const assertSome = (): never => {
  throw new Error('there is none');
};

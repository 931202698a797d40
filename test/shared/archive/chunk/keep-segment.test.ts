/** An unchanged segment is kept whole: its leaf is not fetched, and the index equals one of single kept records. */
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
  return (await settle(bucket, { writer, options: writing() })).archive;
};

/** The manifest of the child lists the chunks it references, as for an incremental backup. */
const finish = (bucket: Bucket, writer: ShardWriter, parent: Archive) => {
  const chunks = parent.manifest.objects.filter(({ name }) => name.startsWith('chunk/'));
  const shard = writer.finish();
  const own = shard.chunk ? [shard.chunk, shard.index] : [shard.index];
  return settle(bucket, {
    writer: Object.assign(writer, { finish: () => shard }),
    options: later,
    more: {
      parent: identity.backup,
      objects: [...own, ...chunks],
    },
  });
};

const namesOf = async (archive: Archive): Promise<string[]> =>
  (await all(streamLeaves(archive))).flatMap(({ segment: { start, count }, leaf }) =>
    Array.from({ length: count }, (_, i) => leaf.name(start + i).toString()),
  );

test('keepSegment: whole segments and new records are read in name order, and no leaf was fetched', async () => {
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

test('keepSegment: adjacent segments and records of one leaf are merged', async () => {
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

test('keepSegment: a segment must start after all previous records, and the next record after its start', async () => {
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

test('keepSegment: a segment that overlaps the next record is detected when leaves are read', async () => {
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

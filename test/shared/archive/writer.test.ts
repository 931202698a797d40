/** Writers use bounded memory, reject what readers would reject, and verify what they emit. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import {
  ChunkWriter,
  DocumentSkim,
  IndexWriter,
  ObjectWriter,
  objectKind,
  objectName,
  readChunk,
  readIndex,
  readPages,
  type Segment,
  type SelfCheck,
  ShardWriter,
  streamLeaves,
} from '../../../shared/archive/index.ts';
import {
  addAll,
  all,
  Bucket,
  chance,
  chunkName,
  dataKey,
  documentOf,
  identity,
  indexName,
  refusesNow,
  root,
  samples,
  settle,
  writing,
} from '../../harness/builders/sample-archive.ts';

const skim = new DocumentSkim();
const marksOf = (name: string) => ({
  nameStart: 0,
  nameEnd: Buffer.byteLength(name),
  createdSeconds: 0,
  createdNanos: 0,
  updatedSeconds: 0,
  updatedNanos: 0,
});

// A11: a CPU or memory fault between compressing, encrypting and storing.
test('object writer: the self-check rejects a frame damaged before it is emitted', () => {
  const documents = samples(10);
  const write = (check: SelfCheck | undefined, damaged: 'compressed' | 'sealed' | undefined): void => {
    const inspect = (after: string, bytes: Buffer): void => {
      if (after === damaged) bytes[bytes.length - 1] = bytes[bytes.length - 1]! ^ 1;
    };
    const writer = new ShardWriter(0, writing('check', { ...(check && { check }), inspect }));
    addAll(writer, documents);
    writer.finish();
  };
  for (const check of [undefined, 'sealed', 'restored'] as const) refusesNow(() => write(check, 'sealed'), 'self-check-failed');
  refusesNow(() => write('restored', 'compressed'), 'self-check-failed');
  // Damage outside the scope of each check passes.
  write('none', 'sealed');
  write('sealed', 'compressed');
  for (const check of ['none', 'sealed', 'restored'] as const) write(check, undefined);
});

test('object writer: the self-check does not change the output', () => {
  const sizes = (['none', 'sealed', 'restored'] as const).map((check) => {
    const writer = new ChunkWriter(chunkName, writing('same', { check }));
    addAll(writer, samples(100));
    writer.finish();
    return createHash('sha256').update(Buffer.concat(writer.take())).digest('hex');
  });
  equal(new Set(sizes).size, 1);
});

test('shard writer: bytes can be taken at any time and match the manifest entry', async () => {
  const documents = samples(4_000, { textBytes: 500 });
  const writer = new ChunkWriter(chunkName, writing());
  const parts: Buffer[] = [];
  let most = 0;
  for (const { bytes } of documents) {
    skim.read(bytes, 0, bytes.length);
    writer.document(bytes, 0, bytes.length, skim);
    most = Math.max(most, writer.pendingBytes);
    if (writer.pendingBytes >= 200_000) parts.push(...writer.take());
    ok(writer.pendingBytes < 200_000 || parts.length === 0);
  }
  const entry = writer.finish();
  parts.push(...writer.take());
  const whole = Buffer.concat(parts);
  deepEqual(
    [whole.length, createHash('sha256').update(whole).digest('base64url'), entry.records],
    [entry.size, entry.sha256, 4_000],
  );
  // At most the part and one leaf.
  ok(most < 200_000 + 600_000);
  equal(writer.pendingBytes, 0);
  equal(
    (await all(readChunk(parts, { identity, name: chunkName, dataKey, entry }))).reduce((sum, { leaf }) => sum + leaf.count, 0),
    4_000,
  );
});

test('shard writer: changing the input after adding it changes nothing', async () => {
  const documents = samples(50);
  const scratch = Buffer.alloc(4_096);
  const writer = new ShardWriter(0, writing());
  for (const { bytes } of documents) {
    bytes.copy(scratch);
    skim.read(scratch, 0, bytes.length);
    writer.document(scratch, 0, bytes.length, skim);
    scratch.fill(0xff);
  }
  const bucket = new Bucket();
  const { archive } = await settle(bucket, { writer, options: writing() });
  const found = await archive.find(documents[0]!.name);
  deepEqual(found?.leaf.content(found.slot), documents[0]!.bytes);
});

test('shard writer: stores documents of 1 and 7 MiB, rejects one above 8 MiB', async () => {
  const writer = new ChunkWriter(chunkName, writing());
  const time = { seconds: 1, nanos: 0 };
  const large = [1, 7].map((mib, i) => {
    const bytes = documentOf(`${root}/c/${i}`, { text: 'x'.repeat(mib * 1024 * 1024), created: time, updated: time });
    return { name: Buffer.alloc(0), bytes, updated: time };
  });
  addAll(writer, large);
  const enormous = documentOf(`${root}/c/9`, { text: 'x'.repeat(8 * 1024 * 1024), created: time, updated: time });
  skim.read(enormous, 0, enormous.length);
  refusesNow(() => writer.document(enormous, 0, enormous.length, skim), 'too-large');
  writer.finish();
  const leaves = await all(readChunk([Buffer.concat(writer.take())], { identity, name: chunkName, dataKey }));
  const kept = leaves.flatMap(({ leaf }) => Array.from({ length: leaf.count }, (_, slot) => leaf.content(slot)));
  deepEqual(
    kept.map((bytes, i) => bytes.equals(large[i]!.bytes)),
    [true, true],
  );
});

test('shard writer: rejects records that are out of order, duplicated or without a name', () => {
  const add =
    (...names: string[]) =>
    () => {
      const writer = new ChunkWriter(chunkName, writing());
      for (const name of names) writer.record(2, Buffer.from(name), marksOf(name), 0, 0);
    };
  add('a/b', 'a/b/c/d', 'a/b!', 'a/c')();
  for (const names of [['a/b', 'a/b'], ['a/c', 'a/b'], ['a/b!', 'a/b/c/d'], [''], ['x'.repeat(65_536)]])
    refusesNow(add(...names), 'record-invalid');
});

test('shard writer: kept and written records together must be in order', async () => {
  const bucket = new Bucket();
  const writer = new ShardWriter(0, writing());
  addAll(writer, samples(20));
  const { archive } = await settle(bucket, { writer, options: writing() });
  const [part] = await all(streamLeaves(archive));
  const { segment, leaf } = part!;
  const keep = (to: ShardWriter, ...slots: number[]): void => {
    for (const slot of slots) to.keep(segment, slot, leaf.name(slot));
  };
  const begin = (): ShardWriter => new ShardWriter(0, writing('next', { identity: { ...identity, backup: 'bkp_02' } }));
  const write = (to: ShardWriter, slot: number): void =>
    addAll(to, [{ bytes: leaf.content(slot), name: leaf.name(slot), updated: leaf.updated(slot) }]);
  keep(begin(), 0, 1, 5, 19);
  const mixed = begin();
  keep(mixed, 0, 1);
  write(mixed, 2);
  keep(mixed, 3);
  write(mixed, 7);
  equal(mixed.finish().records, 5);
  for (const wrong of [
    (to: ShardWriter) => keep(to, 5, 4),
    (to: ShardWriter) => keep(to, 5, 5),
    (to: ShardWriter) => [keep(to, 0, 1, 2), write(to, 1)],
    (to: ShardWriter) => [write(to, 4), keep(to, 4)],
    (to: ShardWriter) => [write(to, 4), keep(to, 6), write(to, 5)],
  ])
    refusesNow(() => wrong(begin()), 'record-invalid');
});

test('shard writer: seals the leaf early instead of holding thousands of pending runs', async () => {
  const bucket = new Bucket();
  const documents = samples(12_000, { textBytes: 2 });
  const parentWriter = new ShardWriter(0, writing());
  addAll(parentWriter, documents);
  const { archive } = await settle(bucket, { writer: parentWriter, options: writing() });
  const options = writing('next', { identity: { ...identity, backup: 'bkp_02' } });
  const writer = new ShardWriter(0, options);
  let i = 0;
  let written = 0;
  // Every second record is kept, so each is its own run; one new record is pending from the start, one from the middle.
  for await (const { segment, leaf } of streamLeaves(archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++, i++) {
      if (i === 0 || i === 6_000) {
        addAll(writer, [documents[i]!]);
        written += 1;
      } else if (i % 2 === 0) {
        writer.keep(segment, slot, leaf.name(slot));
        written += 1;
      }
    }
  const shard = writer.finish();
  equal(shard.records, written);
  // Three leaves or more would mean one per record: 2 frames each, and one for the end.
  ok(shard.chunk!.frames >= 4 && shard.chunk!.frames <= 6);
  const segments = await all(readIndex([Buffer.concat(writer.takeIndex())], { ...options, name: indexName, entry: shard.index }));
  equal(
    segments.reduce((sum, { count }) => sum + count, 0),
    written,
  );
});

test('object writer: an object ends once, and only then has an entry', () => {
  const writer = new ObjectWriter(chunkName, writing());
  throws(() => writer.entry(0), /last frame/);
  writer.seal(Buffer.alloc(0), true);
  throws(() => writer.seal(Buffer.alloc(0), true), /last frame/);
  equal(writer.entry(0).frames, 1);
  throws(() => new ObjectWriter(chunkName, writing('', { random: () => Buffer.alloc(8) })), RangeError);
  throws(() => new ObjectWriter(chunkName, writing('', { dataKey: Buffer.alloc(16) })), RangeError);
  for (const organization of ['', 'a b', 'a/b', 'é', '"', 'x'.repeat(129)])
    refusesNow(() => new ObjectWriter(chunkName, writing('', { identity: { ...identity, organization } })), 'header-invalid');
  refusesNow(() => new ObjectWriter('things/secret-id', writing()), 'header-invalid');
  refusesNow(() => new ChunkWriter(indexName, writing()), 'header-invalid');
  refusesNow(() => new IndexWriter(chunkName, writing()), 'header-invalid');
});

test('objectName: object names consist of numbers', () => {
  equal(objectName('chunk', 12, 3), 'chunk/00000012-0003');
  for (const [number, part] of [
    [-1, 0],
    [1e8, 0],
    [0.5, 0],
    [0, -1],
    [0, 10_000],
    [Number.NaN, 0],
  ] as const)
    throws(() => objectName('index', number, part), RangeError);
  deepEqual(['manifest', 'chunk/00000000-0000', 'index/00000000-0000'].map(objectKind), ['manifest', 'chunk', 'index']);
  for (const name of ['key', 'chunk/../../x', 'chunk/00000000-0000/x', 'chunk/users-alice', '/manifest', 'manifest\n', ''])
    equal(objectKind(name), undefined, name);
});

test('index writer: rejects segments out of order', () => {
  const place = {
    backup: 'bkp_01',
    object: chunkName,
    frame: 0,
    offset: 300,
    keysLength: 100,
    bodiesLength: 100,
    records: 9,
    keysSha256: Buffer.alloc(32),
    bodiesSha256: Buffer.alloc(32),
  };
  const segment = (first: string): Segment => ({ ...place, start: 0, count: 1, first: Buffer.from(first) });
  const writer = new IndexWriter(indexName, writing());
  writer.add(segment('b'));
  for (const first of ['a', 'b']) refusesNow(() => writer.add(segment(first)), 'index-invalid');
});

test('index writer: the manifest lists every page', async () => {
  const place = {
    backup: 'bkp_01',
    object: chunkName,
    frame: 0,
    offset: 300,
    keysLength: 100,
    bodiesLength: 100,
    records: 5_000,
    keysSha256: chance('k')(32),
    bodiesSha256: chance('b')(32),
  };
  const writer = new IndexWriter(indexName, writing());
  const segments = Array.from({ length: 1_000 }, (_, i) => ({
    ...place,
    start: i,
    count: 2,
    first: Buffer.from(`${root}/c/${String(i).padStart(5, '0')}`),
  }));
  for (const segment of segments) writer.add(segment);
  const { entry, pages } = writer.finish();
  deepEqual(
    pages.map(({ segments: count }) => count),
    [256, 256, 256, 232],
  );
  equal(
    pages.reduce((sum, { records }) => sum + records, 0),
    2_000,
  );
  const stored = Buffer.concat(writer.take());
  deepEqual(await all(readIndex([stored], { identity, name: indexName, dataKey, entry })), segments);
  // Reading the object yields the same pages.
  deepEqual(
    (await all(readPages([stored], { identity, name: indexName, dataKey, entry }))).map((page) => page.entry),
    pages,
  );
});

/** Filters never rule out a leaf that has a value, are small, and what is wrong with them rules out nothing. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { bytesHash, textHash } from '../../../../shared/archive/filter/text-hash.ts';
import {
  type Archive,
  ArchiveError,
  ChunkWriter,
  DocumentSkim,
  type FilterEntry,
  type FilterSource,
  filterShareMax,
  LeafCopier,
  LeafFilters,
  type LeafLocation,
  objectName,
  type Segment,
  ShardWriter,
  storedObjects,
  verifyFilter,
  type WantedValue,
  wantedId,
  wantedValue,
} from '../../../../shared/archive/index.ts';
import {
  addAll,
  Bucket,
  chance,
  chunkName,
  dataKey,
  identity,
  refuses,
  root,
  type Sample,
  samples,
  settle,
  writing,
} from '../../../harness/builders/sample-archive.ts';

const textOf = (bytes: Uint8Array, start: number, end: number): string => {
  const document = Buffer.from(bytes.subarray(start, end));
  // The tag of a string is followed by its length, in one or two bytes.
  return /^..?([0-9a-f]+)/s.exec(document.toString('latin1', document.indexOf('8a01', 0, 'hex') + 2))?.[1] ?? '';
};
/** The text of the sample documents. */
const source: FilterSource = {
  fields: [['text'], ['other']],
  collect: (bytes, start, end, add) => add(0, textOf(bytes, start, end)),
};
const texts = (documents: readonly Sample[]): readonly string[] => documents.map(({ bytes }) => textOf(bytes, 0, bytes.length));
const idOf = ({ name }: Sample): string => name.toString().slice(name.lastIndexOf('/') + 1);

const stored = async (documents: readonly Sample[], given: FilterSource | 'none' = source) => {
  const filter = given === 'none' ? undefined : given;
  const bucket = new Bucket();
  const options = writing('filters');
  const writer = new ShardWriter(0, { ...options, filter });
  addAll(writer, documents);
  const { shard } = await settle(bucket, { writer, options });
  if (shard.filter) bucket.put(identity.backup, shard.filter.name, Buffer.concat(writer.takeFilter()));
  const filters = shard.filter ? { filters: [shard.filter] } : {};
  const again = new ShardWriter(0, { ...writing('filters'), filter });
  addAll(again, documents);
  const { archive, manifest } = await settle(bucket, { writer: again, options: writing('filters'), more: filters });
  return { bucket, archive, manifest, shard };
};

const segmentsOf = (archive: Archive): Promise<readonly Segment[]> => Array.fromAsync(archive.segments());

const verdicts = async (archive: Archive, wanted: WantedValue, errors: unknown[] = []) => {
  const filters = new LeafFilters(archive, (_, error) => errors.push(error));
  const found: string[] = [];
  for (const segment of await segmentsOf(archive)) found.push(await filters.verdictOn(segment, wanted));
  return found;
};

test('text hash: it is MurmurHash3 of the text in UTF-8', () => {
  // Vectors of the reference implementation, seed 0.
  for (const [text, hash] of [
    ['', 0],
    ['a', 0x3c2569b2],
    ['ab', 0x9bbfd75f],
    ['abc', 0xb3dd93fa],
    ['abcd', 0x43ed676a],
    ['Hello, world!', 0xc0363e43],
    ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
  ] as const)
    equal(textHash(text), hash, text);
  const long = 'é\u{1f600}'.repeat(5_000);
  const bytes = Buffer.from(`..${long}`);
  equal(textHash(long), bytesHash(bytes, 2, bytes.length));
});

test('leaf filters: every id and value is possible where it is, and almost nowhere else', async () => {
  const documents = samples(16_000, { textBytes: 200 });
  const { archive, bucket, shard, manifest } = await stored(documents);
  const segments = await segmentsOf(archive);
  ok(segments.length > 5);
  const filters = new LeafFilters(archive, (_, error) => ok(false, String(error)));
  let [at, elsewhere, wrong] = [0, 0, 0];
  const values = texts(documents);
  for (const segment of segments) {
    for (let slot = 0; slot < segment.count; slot++, at++) {
      const [value, id] = [wantedValue(['text'], values[at]!), wantedId(idOf(documents[at]!))];
      equal(await filters.verdictOn(segment, value), 'possible');
      equal(await filters.verdictOn(segment, id), 'possible');
      if (at % 8 > 0) continue;
      for (const other of segments) {
        if (other === segment) continue;
        elsewhere += 1;
        if ((await filters.verdictOn(other, value)) === 'possible') wrong += 1;
      }
    }
  }
  equal(at, documents.length);
  ok(wrong / elsewhere < 0.01, `${wrong} of ${elsewhere}`);
  deepEqual(new Set(await verdicts(archive, wantedValue(['other'], 'x'))), new Set(['absent']), 'no document has this field');
  deepEqual(new Set(await verdicts(archive, wantedValue(['text', 'x'], 'x'))), new Set(['unknown']), 'a field without filters');
  ok(shard.filter!.size <= shard.chunk!.size * filterShareMax, `${shard.filter!.size} of ${shard.chunk!.size}`);
  equal(storedObjects(manifest).length, 3);
  const bytes = bucket.get(identity.backup, shard.filter!.name);
  await verifyFilter([bytes], { identity, dataKey, name: shard.filter!.name, entry: shard.filter! });
  await refuses(
    verifyFilter([bytes], { identity, dataKey, name: shard.filter!.name, entry: { ...shard.filter!, directory: 99 } }),
    'index-invalid',
  );
});

test('leaf filters: more than 256 leaves take several sections', async () => {
  const documents = samples(12_000, { textBytes: 200 });
  const segments: Segment[] = [];
  const onLeaf = (leaf: LeafLocation): number =>
    segments.push({ ...leaf, start: 0, count: leaf.records, first: Buffer.from(root) });
  const writer = new ChunkWriter(chunkName, { ...writing('sections'), filter: source, onLeaf });
  const skim = new DocumentSkim();
  for (const [n, { bytes }] of documents.entries()) {
    if (n > 0 && n % 20 === 0) writer.seal();
    skim.read(bytes, 0, bytes.length);
    writer.document(bytes, 0, bytes.length, skim);
  }
  const chunk = writer.finish();
  const filter = writer.finishFilter(chunk)!;
  deepEqual([filter.records, filter.frames], [600, 3 * 3 + 1]);
  const bucket = new Bucket();
  const bytes = Buffer.concat(writer.takeFilter());
  bucket.put(identity.backup, filter.name, bytes);
  await verifyFilter([bytes], { identity, dataKey, name: filter.name, entry: filter });
  const { manifest } = await stored(samples(10), 'none');
  const filters = new LeafFilters(bucket.open({ ...manifest, objects: [chunk], filters: [filter] }), (_, error) =>
    ok(false, String(error)),
  );
  const values = texts(documents);
  for (const n of [0, 255, 256, 511, 512, 599]) {
    const found = await Promise.all(
      segments.map((segment) => filters.verdictOn(segment, wantedValue(['text'], values[20 * n]!))),
    );
    equal(found[n], 'possible');
    ok(found.filter((one) => one === 'possible').length < 12);
  }
});

test('leaf filters: too many values for three percent get smaller filters, and then none', async () => {
  const dense = (count: number): FilterSource => ({
    fields: [['one'], ['many']],
    collect: (bytes, start, end, add) => {
      const text = textOf(bytes, start, end);
      add(0, text);
      for (let n = 0; n < count; n++) add(1, `${text} ${n}`);
    },
  });
  const documents = samples(4_000, { textBytes: 400 });
  const values = texts(documents);
  const possible = async (archive: Archive, value: WantedValue) =>
    (await verdicts(archive, value)).filter((one) => one === 'possible').length;
  const sizes = new Set<number>();
  for (const count of [1, 3, 30]) {
    const { archive, shard } = await stored(documents, dense(count));
    ok(shard.filter, String(count));
    ok(shard.filter.size <= shard.chunk!.size * filterShareMax);
    sizes.add(shard.filter.size);
    ok((await possible(archive, wantedValue(['one'], values[7]!))) >= 1);
    if (count < 30) ok((await possible(archive, wantedValue(['many'], `${values[7]} 0`))) >= 1);
    else deepEqual(new Set(await verdicts(archive, wantedValue(['many'], 'x'))), new Set(['unknown']));
  }
  equal(sizes.size, 3);
  // The frames alone take more than three percent of a small chunk.
  equal((await stored(samples(20))).shard.filter, undefined);
  // Documents with nothing but an id.
  const tiny = await stored(samples(10_000, { textBytes: 1 }));
  ok(!tiny.shard.filter || tiny.shard.filter.size <= tiny.shard.chunk!.size * filterShareMax);
});

test('leaf filters: filters that are damaged, missing or of another object rule out nothing', async () => {
  const documents = samples(9_000, { textBytes: 200 });
  const { archive, bucket, manifest, shard } = await stored(documents);
  const value = wantedValue(['text'], 'not there');
  ok((await verdicts(archive, value)).includes('absent'));
  const { name, size } = shard.filter!;
  const good = bucket.get(identity.backup, name);
  for (const at of [size - 20, size - shard.filter!.directory - 30]) {
    const bad = Buffer.from(good);
    bad[at] = bad[at]! ^ 1;
    bucket.put(identity.backup, name, bad);
    const errors: unknown[] = [];
    const found = await verdicts(bucket.open(manifest), at === size - 20 ? value : wantedValue(['other'], 'x'), errors);
    deepEqual([new Set(found), errors.length], [new Set(['unknown']), 1]);
    await refuses(verifyFilter([bad], { identity, dataKey, name, entry: shard.filter! }), 'tag-mismatch');
  }
  bucket.objects.delete(`${identity.backup} ${name}`);
  deepEqual(new Set(await verdicts(bucket.open(manifest), value)), new Set(['unknown']));
  const { filters: _, ...without } = manifest;
  deepEqual(new Set(await verdicts(bucket.open(without), value)), new Set(['unknown']));
  const lying: FilterEntry = { ...shard.filter!, records: shard.filter!.records - 1 };
  bucket.put(identity.backup, name, good);
  deepEqual(new Set(await verdicts(bucket.open({ ...manifest, filters: [lying] }), value)), new Set(['unknown']));
});

test('leaf filters: without them nothing of a backup changes', async () => {
  const documents = samples(5_000, { textBytes: 200 });
  const bytesOf = async (filter: FilterSource | 'none') => {
    const { bucket, manifest, shard } = await stored(documents, filter);
    return {
      keys: Object.keys(manifest),
      index: bucket.get(identity.backup, shard.index.name).length,
      chunk: shard.chunk!.plainSha256,
    };
  };
  const [without, having] = [await bytesOf('none'), await bytesOf(source)];
  equal(without.keys.includes('filters'), false);
  deepEqual([having.index, having.chunk], [without.index, without.chunk]);
});

test('leaf filters: documents that cannot be read make their leaf unknown', async () => {
  const documents = samples(9_000, { textBytes: 200 });
  const broken = texts(documents)[4_000];
  const failing: FilterSource = {
    fields: [['text']],
    collect: (bytes, start, end, add) => {
      const text = textOf(bytes, start, end);
      if (text === broken) throw new ArchiveError('record-invalid', 'broken');
      add(0, text);
    },
  };
  const { archive } = await stored(documents, failing);
  const found = await verdicts(archive, wantedValue(['text'], 'not there'));
  equal(found.filter((one) => one === 'unknown').length, 1);
  ok(found.filter((one) => one === 'absent').length >= found.length - 2);
});

test('leaf filters: copied leaves get filters of what they hold', async () => {
  const documents = samples(9_000, { textBytes: 200 });
  const { archive } = await stored(documents, 'none');
  const fetched = await archive.packedLeaves((await segmentsOf(archive)).map((segment) => ({ segment, withBodies: true })));
  const target = { identity: { ...identity, backup: 'bkp_02' }, dataKey: Buffer.alloc(32, 9), random: chance('copy') };
  const name = objectName('chunk', 50_000_000, 0);
  const copier = new LeafCopier(name, { ...target, filter: source });
  const locations = fetched.map(({ packed }) => copier.copy(packed!));
  const chunk = copier.finish();
  const filter = copier.finishFilter(chunk)!;
  const bucket = new Bucket();
  bucket.put('bkp_02', filter.name, Buffer.concat(copier.takeFilter()));
  equal(filter.name, 'filter/50000000-0000');
  const manifest = { ...archive.manifest, ...target.identity, objects: [chunk], filters: [filter] };
  const filters = new LeafFilters(
    bucket.open(manifest, () => target.dataKey),
    (_, error) => ok(false, String(error)),
  );
  let at = 0;
  for (const location of locations) {
    const segment = { ...location, start: 0, count: location.records, first: Buffer.from(root) };
    equal(await filters.verdictOn(segment, wantedValue(['text'], texts([documents[at]!])[0]!)), 'possible');
    equal(await filters.verdictOn(segment, wantedValue(['other'], 'x')), 'absent');
    at += location.records;
  }
});

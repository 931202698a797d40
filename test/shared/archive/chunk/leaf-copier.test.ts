/** Leaves are copied into another backup without compressing them again, and nothing that fails its check is copied. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'vitest';
import {
  type Archive,
  ArchiveError,
  type FetchedLeaf,
  LeafCopier,
  objectName,
  readChunk,
  type Segment,
  ShardWriter,
  unpackLeaf,
} from '../../../../shared/archive/index.ts';
import { addAll, Bucket, chance, dataKey, identity, samples, settle, writing } from '../../../harness/builders/sample-archive.ts';

const documents = samples(6_000, { textBytes: 300 });
const copyName = objectName('chunk', 50_000_000, 0);
const target = { identity: { ...identity, backup: 'bkp_02' }, dataKey: Buffer.alloc(32, 9), random: chance('copy') };

const stored = async () => {
  const bucket = new Bucket();
  const writer = new ShardWriter(0, writing('origin'));
  addAll(writer, documents);
  return { bucket, ...(await settle(bucket, { writer, options: writing('origin') })) };
};

const segmentsOf = (archive: Archive): Promise<readonly Segment[]> => Array.fromAsync(archive.segments());

const fetchedFrom = async (archive: Archive): Promise<readonly FetchedLeaf[]> => {
  const segments = await segmentsOf(archive);
  return archive.packedLeaves(segments.map((segment) => ({ segment, withBodies: true })));
};

const copyOf = (leaves: readonly FetchedLeaf[]) => {
  const copier = new LeafCopier(copyName, target);
  const locations = leaves.map(({ packed }) => copier.copy(packed!));
  return { locations, entry: copier.finish(), bytes: Buffer.concat(copier.take()) };
};

test('leaf copier: the copy has the same records, sealed for its own backup, where it says', async () => {
  const { archive } = await stored();
  const leaves = await fetchedFrom(archive);
  ok(leaves.length > 3);
  const { locations, entry, bytes } = copyOf(leaves);
  equal(entry.records, documents.length);
  const options = { identity: target.identity, name: copyName, dataKey: target.dataKey, entry };
  const found = await Array.fromAsync(readChunk([bytes], options));
  deepEqual(
    found.map(({ location }) => location),
    locations,
  );
  deepEqual(
    found.flatMap(({ leaf }) => Array.from({ length: leaf.count }, (_, slot) => leaf.content(slot).toString('hex'))),
    documents.map(({ bytes: content }) => content.toString('hex')),
  );
  // A key of the other backup, or the same bytes under another name, open nothing.
  for (const wrong of [{ dataKey }, { name: objectName('chunk', 50_000_001, 0) }])
    await rejects(Array.fromAsync(readChunk([bytes], { ...options, ...wrong })), ArchiveError);
});

test('leaf copier: leaves of a fetch are those that are read one by one; without bodies they have names only', async () => {
  const { archive, bucket } = await stored();
  const segments = await segmentsOf(archive);
  bucket.fetches = [];
  const keys = await archive.packedLeaves(segments.slice(1, 4).map((segment) => ({ segment, withBodies: false })));
  equal(bucket.fetches.length, 1);
  for (const [n, { leaf, packed }] of keys.entries()) {
    const single = await archive.leaf(segments[n + 1]!, 'keys');
    equal(packed, undefined);
    deepEqual(leaf.name(3), single.name(3));
  }
  for (const { leaf, packed } of await fetchedFrom(archive)) {
    const whole = unpackLeaf(packed!);
    for (let slot = 0; slot < leaf.count; slot += 97) equal(leaf.contentBytes(slot), whole.content(slot).length);
  }
});

test('leaf copier: a byte that is changed anywhere in a leaf is found before it is copied', async () => {
  const { archive, bucket, shard } = await stored();
  const segments = await segmentsOf(archive);
  const { offset, keysLength, bodiesLength } = segments[1]!;
  const object = bucket.get(identity.backup, shard.chunk!.name);
  for (const at of [
    offset,
    offset + 40,
    offset + keysLength - 1,
    offset + keysLength + 3,
    offset + keysLength + 60,
    offset + keysLength + bodiesLength - 1,
  ]) {
    object[at]! ^= 1;
    await rejects(
      fetchedFrom(archive),
      (error) => error instanceof ArchiveError && error.object?.name === shard.chunk?.name,
      `byte ${at}`,
    );
    object[at]! ^= 1;
  }
  equal((await fetchedFrom(archive)).length, segments.length);
});

test('leaf copier: frames that were exchanged, and frames of another object, are not copied', async () => {
  const { archive } = await stored();
  const [, one, two] = await segmentsOf(archive);
  const exchanged = { ...one!, offset: two!.offset, keysLength: two!.keysLength, bodiesLength: two!.bodiesLength };
  await rejects(archive.packedLeaves([{ segment: exchanged, withBodies: true }]), ArchiveError);
  // The bodies of another leaf have another hash than the index says: the copy is refused by its readers.
  const [first, second] = await fetchedFrom(archive);
  const { bytes, locations } = copyOf([{ leaf: first!.leaf, packed: { ...first!.packed!, bodies: second!.packed!.bodies } }]);
  ok(bytes.length > 0 && locations.length === 1);
  throws(() => unpackLeaf({ ...first!.packed!, bodies: second!.packed!.bodies }), ArchiveError);
});

test('leaf copier: without a leaf there is no chunk, and only chunks have leaves', () => {
  throws(() => new LeafCopier(copyName, target).finish(), /no leaf/);
  throws(() => new LeafCopier('index/00000000-0000', target), ArchiveError);
});

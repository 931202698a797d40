/** A seeker finds records of a backup with few fetches. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import {
  Archive,
  compareNames,
  type FetchedRange,
  openManifest,
  Seeker,
  ShardWriter,
  sealManifest,
} from '../../../../shared/archive/index.ts';
import {
  addAll,
  Bucket,
  chunkName,
  dataKey,
  manifestOf,
  refuses,
  root,
  type Sample,
  samples,
  writing,
} from '../../../harness/builders/sample-archive.ts';

/** A backup of several shards, each with its own index object and page. */
const made = async (documents: readonly Sample[], sizes: readonly number[]) => {
  const bucket = new Bucket();
  const options = writing('seeker');
  let at = 0;
  const shards = sizes.map((size, number) => {
    const writer = new ShardWriter(number, options);
    addAll(writer, documents.slice(at, at + size));
    at += size;
    const shard = writer.finish();
    if (shard.chunk) bucket.put('bkp_01', shard.chunk.name, Buffer.concat(writer.takeChunk()));
    bucket.put('bkp_01', shard.index.name, Buffer.concat(writer.takeIndex()));
    return shard;
  });
  const manifest = {
    ...manifestOf(shards[0]!),
    counts: { documents: at, tombstones: 0, users: 0 },
    objects: shards.flatMap(({ chunk, index }) => (chunk ? [chunk, index] : [index])),
    pages: shards.flatMap(({ pages }) => pages),
  };
  const { bytes, digest } = sealManifest(manifest, options);
  return { bucket, archive: bucket.open(await openManifest(bytes, { ...options, digest })) };
};

const documents = samples(4_000, { textBytes: 700 });

test('seeker: finds every record by name and by rank, and a gap leads to the next record', async () => {
  const { archive } = await made(documents, [700, 0, 1, 1_500, 1_799]);
  const seeker = new Seeker(archive);
  for (const i of [0, 1, 699, 700, 701, 702, 2_200, 2_201, 3_998, 3_999]) {
    ok(await seeker.seek(documents[i]!.name));
    deepEqual(await seeker.name(), documents[i]!.name);
    equal(await seeker.rank(), i);
    ok(await seeker.seekRank(i));
    deepEqual(await seeker.name(), documents[i]!.name);
    // Right after a record comes the next one.
    equal(await seeker.seek(Buffer.concat([documents[i]!.name, Buffer.from('/a/b')])), i < 3_999);
    deepEqual(await seeker.name(), documents[i + 1]?.name);
    equal(await seeker.rank(), i + 1);
  }
  ok(await seeker.seek(Buffer.from('a')));
  equal(await seeker.rank(), 0);
  equal(await seeker.seekRank(4_000), false);
  equal(await seeker.next(), false);
  equal(await seeker.name(), undefined);
});

test('seeker: next visits every record once, with its bytes', async () => {
  const { archive } = await made(documents, [1, 1_999, 2_000]);
  const seeker = new Seeker(archive);
  seeker.part = 'all';
  let i = 0;
  for (let more = await seeker.seek(documents[0]!.name); more; more = await seeker.next()) {
    const { leaf, slot } = await seeker.record();
    ok(leaf.content(slot).equals(documents[i]!.bytes));
    i += 1;
  }
  equal(i, 4_000);
});

test('seeker: cached leaves are not fetched again, and the first name of a segment needs no fetch', async () => {
  const { bucket, archive } = await made(documents, [2_000, 2_000]);
  const seeker = new Seeker(archive);
  seeker.part = 'all';
  await seeker.seek(documents[1_990]!.name);
  equal(bucket.fetches.length, 2);
  seeker.part = 'keys';
  await seeker.seek(documents[1_999]!.name);
  ok(await seeker.next());
  deepEqual(await seeker.name(), documents[2_000]!.name);
  equal(bucket.fetches.length, 2);
  equal(seeker.fetches, 2);
});

test('seeker: an empty backup has no records', async () => {
  const { archive } = await made([], [0]);
  const seeker = new Seeker(archive);
  equal(await seeker.seek(Buffer.from(`${root}/a/b`)), false);
  equal(await seeker.seekRank(0), false);
  equal(await seeker.rank(), 0);
});

test('archive: a range damaged in transfer is fetched again; lasting damage names its object', async () => {
  const { bucket, archive } = await made(documents, [4_000]);
  const retried: string[] = [];
  const flipped = (times: number) => {
    let left = times;
    return new Archive(archive.manifest, {
      fetch: async ({ backup, name }: { backup: string; name: string }, { offset, length }: FetchedRange) => {
        const bytes = Buffer.from(bucket.get(backup, name).subarray(offset, offset + length));
        if (name === chunkName && left-- > 0) bytes[length >> 1]! ^= 1;
        return bytes;
      },
      dataKey: () => dataKey,
      onRetry: ({ name }: { name: string }) => void retried.push(name),
    });
  };
  for (const times of [1, 2]) {
    retried.length = 0;
    const found = await flipped(times).find(documents[5]!.name);
    ok(found && compareNames(found.leaf.name(found.slot), documents[5]!.name) === 0);
    deepEqual(retried, Array(times).fill(chunkName));
  }
  await refuses(flipped(3).find(documents[5]!.name), 'tag-mismatch', 'hash-mismatch');
});

/** Leaves of a chain are cached while its index alternates between them; leaves of a full backup are not. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { type Archive, ShardWriter } from '../../../../shared/archive/index.ts';
import { addAll, all, Bucket, identity, manifestOf, samples, settle, writing } from '../../../harness/builders/sample-archive.ts';

/** The number of chunk fetches if the leaf of every segment is read in turn. */
const fetchesOf = async (bucket: Bucket, archive: Archive, part: 'all' | 'keys'): Promise<number> => {
  bucket.fetches = [];
  for await (const segment of archive.segments()) await archive.leaf(segment, part);
  return bucket.fetches.filter(({ name }) => name.startsWith('chunk/')).length;
};

test('leaf cache: each leaf of a chain is fetched once, however many segments reference it', async () => {
  const bucket = new Bucket();
  const writer = new ShardWriter(0, writing('full'));
  addAll(writer, samples(3_000, { textBytes: 900 }));
  const full = await settle(bucket, { writer, options: writing('full') });
  const segments = await all(full.archive.segments());
  // Every hundredth document is rewritten, so that the index alternates.
  const link = new ShardWriter(0, writing('link', { identity: { ...identity, backup: 'bkp_02' } }));
  for (const segment of segments) {
    const leaf = await full.archive.leaf(segment);
    for (let slot = 0; slot < leaf.count; slot++)
      if (slot % 100 === 50) addAll(link, [{ name: leaf.name(slot), bytes: leaf.content(slot), updated: leaf.updated(slot) }]);
      else link.keep(segment, slot, leaf.name(slot));
  }
  const shard = link.finish();
  bucket.put('bkp_02', shard.chunk!.name, Buffer.concat(link.takeChunk()));
  bucket.put('bkp_02', shard.index.name, Buffer.concat(link.takeIndex()));
  const objects = [shard.chunk!, shard.index, full.shard.chunk!];
  const archive = bucket.open(manifestOf(shard, { backup: 'bkp_02', parent: identity.backup, objects }));
  const leaves = segments.length + shard.chunk!.frames / 2;
  ok((await all(archive.segments())).length > 3 * leaves);
  equal(await fetchesOf(bucket, archive, 'keys'), leaves);
  // Leaves with bodies are fetched again; afterwards keys are cached too.
  equal(await fetchesOf(bucket, archive, 'all'), leaves);
  equal(await fetchesOf(bucket, archive, 'keys'), 0);
  equal(await fetchesOf(bucket, full.archive, 'all'), segments.length);
  equal(await fetchesOf(bucket, full.archive, 'all'), segments.length);
});

test('leaf cache: a failed fetch is repeated', async () => {
  const bucket = new Bucket();
  const writer = new ShardWriter(0, writing('full'));
  addAll(writer, samples(10));
  const full = await settle(bucket, { writer, options: writing('full') });
  const link = new ShardWriter(0, writing('link', { identity: { ...identity, backup: 'bkp_02' } }));
  for await (const segment of full.archive.segments()) link.keepSegment(segment);
  const shard = link.finish();
  bucket.put('bkp_02', shard.index.name, Buffer.concat(link.takeIndex()));
  const objects = [shard.index, full.shard.chunk!];
  const archive = bucket.open(manifestOf(shard, { backup: 'bkp_02', parent: identity.backup, objects }));
  const [segment] = await all(archive.segments());
  const id = `${identity.backup} ${full.shard.chunk!.name}`;
  const bytes = bucket.objects.get(id)!;
  bucket.objects.delete(id);
  let failed = 0;
  for (let tries = 0; tries < 2; tries++) await archive.leaf(segment!).catch(() => (failed += 1));
  bucket.objects.set(id, bytes);
  equal(failed, 2);
  equal((await archive.leaf(segment!)).count, 10);
});

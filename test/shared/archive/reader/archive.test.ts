/** Backups are read in ranges, and an incremental one finds its records in earlier backups. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import {
  type Archive,
  compareNames,
  DocumentSkim,
  IndexWriter,
  type Manifest,
  openManifest,
  readIndex,
  recordKind,
  type Segment,
  ShardWriter,
  sealManifest,
  streamLeaves,
} from '../../../../shared/archive/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { seed } from '../../../harness/builders/reported-seed.ts';
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
  manifestOf,
  refuses,
  root,
  type Sample,
  samples,
  settle,
  writing,
} from '../../../harness/builders/sample-archive.ts';

const full = async (documents: readonly Sample[], bucket = new Bucket()) => {
  const writer = new ShardWriter(0, writing('full'));
  addAll(writer, documents);
  return { bucket, ...(await settle(bucket, { writer, options: writing('full') })) };
};

/** The documents that a restore would write. */
const restored = async (archive: Archive): Promise<Buffer[]> => {
  const found: Buffer[] = [];
  for await (const { segment, leaf } of streamLeaves(archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) === recordKind.document) found.push(leaf.content(slot));
  return found;
};

test('archive: finds a document with two small fetches, and reports a missing one', async () => {
  const documents = samples(10_000, { textBytes: 300 });
  const { bucket, archive, sealed, shard } = await full(documents);
  ok(shard.index.frames === 1 && shard.chunk!.frames > 10);
  for (const i of [0, 1, 777, 5_000, 9_999]) {
    bucket.fetches = [];
    const found = await archive.find(documents[i]!.name);
    deepEqual(found?.leaf.content(found.slot), documents[i]!.bytes);
    // The index page is cached by then.
    equal(bucket.fetches.length, i === 0 ? 2 : 1);
    const fetched = bucket.fetches.reduce((sum, { length }) => sum + length, sealed.bytes.length);
    ok(fetched < (shard.chunk!.size + shard.index.size) / 5);
  }
  for (const name of ['a', `${root}/things/0000000x`, `${root}/things/0000000/parts/x`, 'zzz'])
    equal(await archive.find(Buffer.from(name)), undefined, name);
});

test('archive: an empty backup is a valid backup', async () => {
  const { archive, shard, manifest } = await full([]);
  equal(shard.chunk, undefined);
  deepEqual([manifest.pages.length, manifest.pages[0]!.records], [1, 0]);
  equal(await archive.find(Buffer.from('a/b')), undefined);
  deepEqual(await restored(archive), []);
});

test('streamLeaves: starts at any name', async () => {
  const documents = samples(5_000, { textBytes: 400 });
  const { archive } = await full(documents);
  for (const i of [0, 1, 2_345, 4_999]) {
    const [first] = await all(streamLeaves(archive, { from: documents[i]!.name, part: 'keys', ahead: 2 }));
    ok(first!.leaf.find(documents[i]!.name) >= 0);
  }
  const rest = await all(streamLeaves(archive, { from: Buffer.from('zzz') }));
  equal(rest.length, 1);
});

test('streamLeaves: ranges fetch only the leaves that may contain their names, each once, and no needless page', async () => {
  const documents = samples(20_000, { textBytes: 400 });
  const { bucket, archive } = await full(documents);
  const one = (i: number) => ({ from: documents[i]!.name, to: Buffer.concat([documents[i]!.name, Buffer.alloc(1)]) });
  for (const [within, leaves] of [
    [[one(777)], 1],
    [[one(777), one(778), one(779)], 1],
    [[one(0), one(10_000), one(19_999)], 3],
    [[{ from: documents[100]!.name, to: documents[100]!.name }], 0],
    [[], 0],
  ] as const) {
    bucket.fetches = [];
    const parts = await all(streamLeaves(bucket.open(archive.manifest), { within }));
    equal(bucket.fetches.length, parts.length + (parts.length > 0 ? 1 : 0));
    if (leaves > 0) equal(parts.length, leaves);
    for (const { from } of within.filter(({ from, to }) => Buffer.compare(from, to) < 0))
      ok(parts.some(({ segment, leaf }) => leaf.find(from, segment.start, segment.start + segment.count) >= 0));
  }
  const [everything, open] = [await all(streamLeaves(archive)), await all(streamLeaves(archive, { within: [{}] }))];
  deepEqual(
    open.map(({ segment }) => segment),
    everything.map(({ segment }) => segment),
  );
});

test('streamLeaves: the fetched part may change from leaf to leaf', async () => {
  const { archive } = await full(samples(6_000, { textBytes: 900 }));
  let part: 'all' | 'keys' = 'all';
  const had: boolean[] = [];
  for await (const { leaf } of streamLeaves(archive, { part: () => part, ahead: 2 })) {
    had.push(leaf.hasBodies);
    part = 'keys';
  }
  deepEqual([had[0], had.at(-1)], [true, false]);
});

test('streamLeaves: keys alone are small and are prefetched', async () => {
  const { bucket, archive } = await full(samples(6_000, { textBytes: 900 }));
  bucket.fetches = [];
  const parts = await all(streamLeaves(archive, { part: 'keys' }));
  ok(parts.length > 8);
  ok(bucket.fetches.reduce((sum, { length }) => sum + length, 0) < bucket.get('bkp_01', chunkName).length / 8);
  bucket.fetches = [];
  for await (const _ of streamLeaves(archive, { ahead: 3 })) break;
  ok(bucket.fetches.length >= 4 && bucket.fetches.length <= 6);
});

/** The next backup of a chain: compares names and times of the parent with the current documents. */
const next = async (
  bucket: Bucket,
  {
    parent,
    backup,
    now,
    at,
  }: { readonly parent: Archive; readonly backup: string; readonly now: readonly Sample[]; readonly at: number },
) => {
  const options = writing(backup, { identity: { ...identity, backup }, random: chance(backup) });
  const writer = new ShardWriter(0, options);
  const skim = new DocumentSkim();
  const counts = { documents: 0, tombstones: 0, users: 0 };
  let i = 0;
  const add = (): void => {
    addAll(writer, [now[i++]!]);
    counts.documents += 1;
  };
  for await (const { segment, leaf } of streamLeaves(parent, { part: 'keys' }))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      if (leaf.kind(slot) === recordKind.tombstone) continue;
      const name = leaf.name(slot);
      while (i < now.length && compareNames(now[i]!.name, name) < 0) add();
      const same = now[i] && compareNames(now[i]!.name, name) === 0;
      if (!same) {
        Object.assign(skim, {
          nameStart: 0,
          nameEnd: name.length,
          createdSeconds: 0,
          createdNanos: 0,
          updatedSeconds: at,
          updatedNanos: 0,
        });
        writer.tombstone(name, skim);
        counts.tombstones += 1;
      } else if (leaf.isUpdatedAt(slot, now[i]!.updated.seconds, now[i]!.updated.nanos)) {
        writer.keep(segment, slot, name);
        counts.documents += 1;
        i += 1;
      } else add();
    }
  while (i < now.length) add();
  const known = new Map(parent.manifest.objects.map((entry) => [`${entry.backup} ${entry.name}`, entry]));
  const shard = writer.finish();
  if (shard.chunk) bucket.put(backup, shard.chunk.name, Buffer.concat(writer.takeChunk()));
  bucket.put(backup, shard.index.name, Buffer.concat(writer.takeIndex()));
  const manifest: Manifest = {
    ...manifestOf(shard, { backup, parent: parent.manifest.backup, counts }),
    objects: [
      ...(shard.chunk ? [shard.chunk] : []),
      shard.index,
      ...shard.kept.map(({ backup: of, name }) => known.get(`${of} ${name}`)!),
    ],
  };
  const sealed = sealManifest(manifest, options);
  return { shard, archive: bucket.open(await openManifest(sealed.bytes, { ...options, digest: sealed.digest })) };
};

const changed = (
  documents: readonly Sample[],
  pick: (i: number) => 'same' | 'change' | 'drop' | 'insert',
  at: number,
): Sample[] =>
  documents.flatMap((document, i) => {
    const what = pick(i);
    if (what === 'drop') return [];
    if (what === 'same') return [document];
    const time = { seconds: at, nanos: 5_000 };
    const make = (name: string): Sample => ({
      name: Buffer.from(name),
      bytes: documentOf(name, { text: `new at ${at}`, created: time, updated: time }),
      updated: time,
    });
    return what === 'change' ? [make(String(document.name))] : [document, make(`${document.name}/added/${at}`)];
  });

test('incremental backup: after a change of 1 % it is complete and small', async () => {
  const documents = samples(9_000, { textBytes: 600 });
  const { bucket, archive, shard } = await full(documents);
  const now = changed(
    documents,
    (i) => (i % 100 === 50 ? (i % 300 === 50 ? 'drop' : i % 300 === 150 ? 'insert' : 'change') : 'same'),
    1_800_000_000,
  );
  const increment = await next(bucket, { parent: archive, backup: 'bkp_02', now, at: 1_800_000_000 });
  deepEqual(
    await restored(increment.archive),
    now.map(({ bytes }) => bytes),
  );
  const size = increment.shard.chunk!.size + increment.shard.index.size;
  ok(size < 0.03 * (shard.chunk!.size + shard.index.size), `${size} of ${shard.chunk!.size}`);
  const gone = documents.find((_, i) => i % 300 === 50)!;
  const found = await increment.archive.find(gone.name);
  equal(found?.leaf.kind(found.slot), recordKind.tombstone);
});

test('incremental backup: without changes it has no chunk', async () => {
  const documents = samples(3_000);
  const { bucket, archive } = await full(documents);
  const increment = await next(bucket, { parent: archive, backup: 'bkp_02', now: documents, at: 1_800_000_000 });
  equal(increment.shard.chunk, undefined);
  deepEqual(increment.shard.kept, [{ backup: 'bkp_01', name: chunkName }]);
  deepEqual(
    await restored(increment.archive),
    documents.map(({ bytes }) => bytes),
  );
});

test('incremental backup: every link of a chain shows the documents of its time', async (t) => {
  const choice = fc.constantFrom('same', 'same', 'same', 'change', 'drop', 'insert' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(choice, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 4 }),
      async (links) => {
        let now = samples(60);
        const { bucket, archive } = await full(now);
        let last = archive;
        for (const [n, picks] of links.entries()) {
          const at = 1_800_000_000 + n;
          now = changed(now, (i) => (picks[i % picks.length] ?? 'same') as 'same', at).sort((a, b) =>
            compareNames(a.name, b.name),
          );
          last = (await next(bucket, { parent: last, backup: `bkp_1${n}`, now, at })).archive;
          deepEqual(
            await restored(last),
            now.map(({ bytes }) => bytes),
          );
          for (const { name, bytes } of now.slice(0, 5)) {
            const found = await last.find(name);
            deepEqual(found?.leaf.content(found.slot), bytes);
          }
        }
      },
    ),
    { ...seed(t), numRuns: propertyRuns({ quick: 8, usual: 25 }) },
  );
});

test('archive: ranged reads detect an object that was replaced in whole or in part', async () => {
  const documents = samples(4_000, { textBytes: 400 });
  const { bucket, archive } = await full(documents);
  const name = documents[2_000]!.name;
  const chunk = bucket.get('bkp_01', chunkName);
  // The same documents of an earlier attempt: genuine, same key, another salt.
  const again = new ShardWriter(0, writing('earlier attempt'));
  addAll(again, documents);
  again.finish();
  bucket.put('bkp_01', chunkName, Buffer.concat(again.takeChunk()));
  await refuses(archive.find(name), 'tag-mismatch');
  bucket.put('bkp_01', chunkName, Buffer.alloc(chunk.length, 1));
  await refuses(archive.find(name), 'too-large', 'truncated');
  bucket.put('bkp_01', chunkName, chunk.subarray(0, 1_000));
  await refuses(archive.find(name), 'truncated');
  bucket.put('bkp_01', chunkName, chunk);
  const index = bucket.get('bkp_01', indexName);
  const damaged = Buffer.from(index);
  damaged[index.length - 20] = damaged[index.length - 20]! ^ 1;
  bucket.put('bkp_01', indexName, damaged);
  const opened = bucket.open(archive.manifest);
  await refuses(opened.find(name), 'tag-mismatch');
  bucket.put('bkp_01', indexName, index);
  ok(await opened.find(name));
  ok(await archive.find(name));
});

test('archive: rejects an index that misstates its chunk, even sealed with the right key', async () => {
  const documents = samples(3_000, { textBytes: 400 });
  const { bucket, manifest, shard } = await full(documents);
  const segments = await all(
    readIndex([bucket.get('bkp_01', indexName)], { identity, name: indexName, dataKey, entry: shard.index }),
  );
  ok(segments.length > 2);
  const [a, b] = segments as [Segment, Segment];
  const lies: Segment[][] = [
    [{ ...a, first: Buffer.from('projects/other') }],
    [{ ...a, records: a.records + 1 }],
    [{ ...a, offset: a.offset + 1 }],
    [{ ...a, frame: b.frame }],
    [{ ...a, keysSha256: b.keysSha256 }],
    [{ ...a, bodiesSha256: b.bodiesSha256 }],
    [{ ...a, offset: 2 ** 40 }],
    [{ ...a, frame: 4_000_000 }],
    [{ ...a, object: 'chunk/00000009-0000' }],
    [{ ...a, backup: 'bkp_99' }],
    [{ ...b, keysLength: a.keysLength }],
  ];
  for (const lie of lies) {
    const writer = new IndexWriter(indexName, writing('lie'));
    for (const segment of lie) writer.add(segment);
    const { entry, pages } = writer.finish();
    bucket.put('bkp_01', indexName, Buffer.concat(writer.take()));
    const objects = manifest.objects.map((object) => (object.name === indexName ? entry : object));
    const counts = { documents: lie.reduce((sum, { count }) => sum + count, 0), tombstones: 0, users: 0 };
    const lying = bucket.open({ ...manifest, objects, pages, counts });
    await refuses(
      all(streamLeaves(lying)),
      'index-invalid',
      'tag-mismatch',
      'hash-mismatch',
      'truncated',
      'too-large',
      'frame-order',
    );
  }
});

test('streamLeaves: rejects overlapping segments', async () => {
  const { bucket, manifest, shard } = await full(samples(50));
  const [a] = (await all(
    readIndex([bucket.get('bkp_01', indexName)], { identity, name: indexName, dataKey, entry: shard.index }),
  )) as [Segment];
  const leaf = await bucket.open(manifest).leaf(a);
  const writer = new IndexWriter(indexName, writing('lie'));
  writer.add({ ...a, count: 30 });
  writer.add({ ...a, start: 20, count: 10, first: leaf.name(20) });
  const { entry, pages } = writer.finish();
  bucket.put('bkp_01', indexName, Buffer.concat(writer.take()));
  const objects = manifest.objects.map((object) => (object.name === indexName ? entry : object));
  await refuses(all(streamLeaves(bucket.open({ ...manifest, objects, pages }))), 'index-invalid');
});

/** Merges hand-made bases and batches: the result is exactly the state of the moment. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import {
  type Archive,
  ChunkWriter,
  DocumentSkim,
  readChunk,
  type Segment,
  ShardWriter,
  streamLeaves,
} from '../../../../shared/archive/index.ts';
import { compareNames } from '../../../../shared/archive/name/compare-names.ts';
import { type BatchLeaf, latestChanges, mergeChanges, momentOf } from '../../../../shared/pitr/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import {
  addAll,
  all,
  Bucket,
  chunkName,
  documentOf,
  identity,
  root,
  type Sample,
  settle,
  writing,
} from '../../../harness/builders/sample-archive.ts';

const start = 1_700_000_000;
const momentAt = (seconds: number): string => momentOf((start + seconds) * 1_000_000);
const nameOf = (id: string): string => `${root}/things/${id}`;

/** A change: the document has this text from then on, or is deleted. */
interface Event {
  readonly id: string;
  readonly at: number;
  readonly text: string | undefined;
}

const time = (at: number) => ({ seconds: start + Math.floor(at), nanos: Math.round((at % 1) * 1e9) });
const sampleOf = ({ id, at, text }: Event): Sample => ({
  name: Buffer.from(nameOf(id)),
  bytes: documentOf(nameOf(id), { text: text ?? '', created: time(at), updated: time(at) }),
  updated: time(at),
});

const skim = new DocumentSkim();
/** One batch as written by a capture, read back; records in the given order. */
const batchOf = async (events: readonly Event[], to: number): Promise<readonly BatchLeaf[]> => {
  const options = writing(`batch ${to}`);
  const writer = new ChunkWriter(chunkName, { ...options, ordered: false });
  for (const event of events) {
    const { bytes, name, updated } = sampleOf(event);
    skim.read(bytes, 0, bytes.length);
    if (event.text !== undefined) writer.document(bytes, 0, bytes.length, skim);
    else {
      const times = { createdSeconds: 0, createdNanos: 0, updatedSeconds: updated.seconds, updatedNanos: updated.nanos };
      writer.record(2, name, { nameStart: 0, nameEnd: name.length, ...times }, 0, 0);
    }
  }
  const entry = writer.finish();
  const batch = { id: `batch ${to}` };
  const leaves = await all(readChunk([Buffer.concat(writer.take())], { ...options, name: chunkName, entry }));
  return leaves.map(({ leaf }) => ({ batch, leaf }));
};

const baseOf = async (bucket: Bucket, documents: readonly Sample[]): Promise<Archive> => {
  const writer = new ShardWriter(0, writing());
  addAll(
    writer,
    documents.toSorted((a, b) => compareNames(a.name, b.name)),
  );
  return (await settle(bucket, { writer, options: writing() })).archive;
};

const later = writing('point', { identity: { ...identity, backup: 'bkp_02' } });

/** The point as an archive that reads unchanged records from the base. */
const pointOf = async (bucket: Bucket, base: Archive, changes: AsyncIterator<{ name: Buffer; content: Buffer | undefined }>) => {
  const writer = new ShardWriter(0, later);
  let whole = 0;
  const tally = await mergeChanges(base, changes, {
    keepSegment: (segment: Segment) => {
      whole += 1;
      writer.keepSegment(segment);
    },
    keep: (...record) => writer.keep(...record),
    document: (bytes) => {
      skim.read(bytes, 0, bytes.length);
      writer.document(bytes, 0, bytes.length, skim);
    },
    drain: async () => undefined,
  });
  const shard = writer.finish();
  const own = shard.chunk ? [shard.chunk, shard.index] : [shard.index];
  const objects = [...own, ...base.manifest.objects.filter(({ name }) => name.startsWith('chunk/'))];
  const settled = await settle(bucket, {
    writer: Object.assign(writer, { finish: () => shard }),
    options: later,
    more: {
      parent: identity.backup,
      objects,
    },
  });
  return { archive: settled.archive, tally, whole };
};

const textsIn = async (archive: Archive): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>();
  for await (const { segment, leaf } of streamLeaves(archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      texts.set(leaf.name(slot).subarray(nameOf('').length).toString(), leaf.content(slot).toString('hex'));
  return texts;
};

const thereAt = (events: readonly Event[], at: number): readonly Event[] => {
  const last = new Map<string, Event>();
  for (const event of events) if (event.at <= at) last.set(event.id, event);
  return [...last.values()].filter(({ text }) => text !== undefined);
};

test('merge: random changes in random batches yield the exact state of any second, also with little memory', async () => {
  const event = fc.record({
    id: fc.integer({ min: 0, max: 11 }).map((n) => `d${n}`),
    tick: fc.integer({ min: 0, max: 59 }),
    text: fc.option(fc.string({ maxLength: 30 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 60 }),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 20 }),
      fc.constantFrom(300, 1_000, 1 << 20),
      async (given, baseAt, span, requested, bytesMax) => {
        // At most one change per moment.
        const events = given.map(({ id, tick, text }, n) => ({ id, text, at: tick / 3 + n / 1_000 })).sort((a, b) => a.at - b.at);
        const at = Math.max(requested, baseAt);
        const before = thereAt(events, baseAt);
        const bucket = new Bucket();
        const base = await baseOf(bucket, before.map(sampleOf));
        const batches: (readonly BatchLeaf[])[] = [];
        for (let from = 0; from < 21; from += span)
          batches.push(
            await batchOf(
              events.filter((one) => one.at > from && one.at <= from + span),
              from + span,
            ),
          );
        const read = async function* () {
          for (const batch of batches) yield* batch;
        };
        const changes = latestChanges({ read, after: momentAt(baseAt), upTo: momentAt(at), bytesMax });
        const { archive, tally } = await pointOf(bucket, base, changes);
        const expected = thereAt(events, at).map((one) => [one.id, sampleOf(one).bytes.toString('hex')] as const);
        deepEqual(await textsIn(archive), new Map(expected.toSorted(([a], [b]) => compareNames(Buffer.from(a), Buffer.from(b)))));
        equal(before.length + tally.added - tally.removed, expected.length);
        equal(
          [...tally.collections.values()].reduce((sum, more) => sum + more, 0),
          tally.added - tally.removed,
        );
      },
    ),
    { numRuns: propertyRuns({ quick: 20, usual: 60 }) },
  );
});

test('merge: of a large base it reads only the keys of the leaves with a change', async () => {
  const bucket = new Bucket();
  const documents = Array.from({ length: 3_000 }, (_, n) =>
    sampleOf({ id: String(n).padStart(5, '0'), at: 0, text: String(n).repeat(300) }),
  );
  const base = await baseOf(bucket, documents);
  const segments = await all(base.segments());
  ok(segments.length > 4);
  bucket.fetches = [];
  const changed = { id: '01500', at: 5, text: 'changed' };
  const leaves = await batchOf([changed, { id: '99999', at: 6, text: 'new' }], 10);
  const changes = latestChanges({ read: () => asyncOf(leaves), after: momentAt(1), upTo: momentAt(10) });
  const { archive, whole } = await pointOf(bucket, base, changes);
  // The last leaf, too: its end must be compared with the new document.
  equal(whole, segments.length - 2);
  deepEqual(
    bucket.fetches.map(({ name }) => name),
    [chunkName, chunkName],
  );
  ok(bucket.fetches.every(({ length }) => length < 60_000));
  equal((await textsIn(archive)).size, 3_001);
});

test('merge: leaves out users and tombstones of an incremental base, but not documents created again since', async () => {
  const bucket = new Bucket();
  const writer = new ShardWriter(0, writing());
  const none = { createdSeconds: 0, createdNanos: 0, updatedSeconds: 0, updatedNanos: 0 };
  const other = (kind: 2 | 3, name: string): void =>
    writer.record(kind, Buffer.from(name), { nameStart: 0, nameEnd: name.length, ...none }, name.length, name.length);
  other(3, 'accounts/u1');
  other(3, 'accounts/u2');
  addAll(writer, [sampleOf({ id: 'a', at: 0, text: 'a' })]);
  other(2, nameOf('b'));
  other(2, nameOf('c'));
  addAll(writer, [sampleOf({ id: 'd', at: 0, text: 'd' })]);
  const counts = { documents: 2, tombstones: 2, users: 2 };
  const { archive: base } = await settle(bucket, { writer, options: writing(), more: { counts } });
  for (const [events, expected] of [
    [[], ['a', 'd']],
    [[{ id: 'c', at: 5, text: 'again' }], ['a', 'c', 'd']],
    [[{ id: 'b', at: 5, text: undefined }], ['a', 'd']],
  ] as const) {
    const leaves = await batchOf(events, 10);
    const { archive, tally } = await pointOf(
      bucket,
      base,
      latestChanges({ read: () => asyncOf(leaves), after: momentAt(1), upTo: momentAt(9) }),
    );
    deepEqual([...(await textsIn(archive)).keys()], expected);
    equal(tally.added - tally.removed, expected.length - 2);
  }
});

test('merge: a later batch overrides an earlier one, whatever the times of their records', async () => {
  // Deleted at 10.3, created again at 10.7: the first batch dates the deletion to the next whole second.
  const first = await batchOf([{ id: 'a', at: 11, text: undefined }], 10.5);
  const second = await batchOf([{ id: 'a', at: 10.7, text: 'again' }], 20.5);
  const read = () => asyncOf([...first, ...second]);
  const contentsAt = async (at: number) =>
    (await all(latestChanges({ read, after: momentAt(0), upTo: momentAt(at) }))).map(({ content }) => content !== undefined);
  deepEqual(await contentsAt(10), []);
  deepEqual(await contentsAt(11), [true]);
});

test('merge: what was found later for a batch counts together with it, by time', async () => {
  const batch = await batchOf([{ id: 'a', at: 20, text: 'created again' }], 30);
  const found = await batchOf(
    [
      { id: 'a', at: 5, text: 'brief' },
      { id: 'a', at: 8, text: undefined },
    ],
    30,
  );
  const part = found.map(({ leaf }) => ({ leaf, batch: { id: 'found', partOf: batch[0]!.batch.id } }));
  const contentsAt = async (at: number) => {
    const read = () => asyncOf([...batch, ...part]);
    return (await all(latestChanges({ read, after: momentAt(0), upTo: momentAt(at) }))).map(
      ({ content }) => content !== undefined,
    );
  };
  deepEqual([await contentsAt(4), await contentsAt(6), await contentsAt(9), await contentsAt(21)], [[], [true], [false], [true]]);
});

async function* asyncOf<T>(list: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* list;
}

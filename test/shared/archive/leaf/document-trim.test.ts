/** Documents are restored byte for byte, however they were encoded. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import {
  ChunkWriter,
  type DocumentMarks,
  DocumentSkim,
  type Leaf,
  readChunk,
  recordKind,
} from '../../../../shared/archive/index.ts';
import { seed } from '../../../harness/builders/reported-seed.ts';
import {
  addAll,
  all,
  chunkName,
  dataKey,
  documentOf,
  field,
  identity,
  refusesNow,
  root,
  samples,
  writing,
} from '../../../harness/builders/sample-archive.ts';

const write = (add: (writer: ChunkWriter) => void, ordered = true): Buffer => {
  const writer = new ChunkWriter(chunkName, { ...writing(), ordered });
  add(writer);
  writer.finish();
  return Buffer.concat(writer.take());
};
const leavesOf = async (bytes: Buffer): Promise<Leaf[]> =>
  (await all(readChunk([bytes], { identity, name: chunkName, dataKey }))).map(({ leaf }) => leaf);
const contents = (leaves: readonly Leaf[]): Buffer[] =>
  leaves.flatMap((leaf) => Array.from({ length: leaf.count }, (_, slot) => leaf.content(slot)));

test('leaf: documents of many leaves are read in order, with names and times', async () => {
  const documents = samples(3_000, { textBytes: 600 });
  const leaves = await leavesOf(write((writer) => addAll(writer, documents)));
  ok(leaves.length > 3);
  deepEqual(
    contents(leaves),
    documents.map(({ bytes }) => bytes),
  );
  let i = 0;
  for (const leaf of leaves)
    for (let slot = 0; slot < leaf.count; slot++, i++) {
      deepEqual(
        [leaf.kind(slot), leaf.name(slot), leaf.updated(slot)],
        [recordKind.document, documents[i]!.name, documents[i]!.updated],
      );
      ok(leaf.isUpdatedAt(slot, documents[i]!.updated.seconds, documents[i]!.updated.nanos));
      ok(!leaf.isUpdatedAt(slot, documents[i]!.updated.seconds, documents[i]!.updated.nanos + 1));
      equal(leaf.find(documents[i]!.name), slot);
    }
});

const seconds = fc.oneof(
  fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
  fc.constantFrom(0, 1, -1, 127, 128, 2 ** 31, 2 ** 32),
);
const nanos = fc.oneof(fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom(0, 1, 999, 1_000, 999_999_999));
const time = fc.tuple(seconds, nanos).map(([seconds, nanos]) => ({ seconds, nanos }));

test('document trim: name and times are removed and restored exactly, from year 1 to 9999', async (t) => {
  const skim = new DocumentSkim();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(time, time, fc.string({ maxLength: 200 })), { maxLength: 20 }), async (given) => {
      const documents = given.map(([created, updated, text], i) => {
        const name = `${root}/c/${String(i).padStart(4, '0')}`;
        return { name: Buffer.from(name), bytes: documentOf(name, { text, created, updated }), created, updated };
      });
      const leaves = await leavesOf(write((writer) => addAll(writer, documents)));
      deepEqual(
        contents(leaves),
        documents.map(({ bytes }) => bytes),
      );
      for (const [slot, { created, updated, name, bytes }] of documents.entries()) {
        deepEqual([leaves[0]!.created(slot), leaves[0]!.updated(slot)], [created, updated]);
        ok(leaves[0]!.body(slot).length < bytes.length - name.length);
        const untimed = leaves[0]!.contentWithoutTimes(slot);
        skim.read(untimed, 0, untimed.length);
        deepEqual([skim.createdSeconds, skim.createdNanos, skim.updatedSeconds, skim.updatedNanos], [0, 0, 0, 0]);
        deepEqual(untimed, bytes.subarray(0, untimed.length));
      }
    }),
    { ...seed(t), numRuns: 60 },
  );
});

/** Fields in any order and number, canonical or not. */
const odd = fc.array(
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 20 }).map((text) => field(0x0a, Buffer.from(text))),
    fc.uint8Array({ maxLength: 30 }).map((bytes) => field(0x12, Buffer.from(bytes))),
    fc
      .tuple(
        fc.constantFrom(0x1a, 0x22),
        fc.constantFrom(
          '08b0eab6a206',
          '08b0eab6a20610e807',
          '10e80708b0eab6a206',
          '0800',
          '',
          '08ffffffffffffffffff01',
          '18051001',
          '10ffffffff0f',
        ),
      )
      .map(([tag, hex]) => field(tag, Buffer.from(hex, 'hex'))),
    fc
      .constantFrom('0a8000', '28ac02', '3d00000000', '410102030405060708', '220308b0ea', '9a0100')
      .map((hex) => Buffer.from(hex, 'hex')),
  ),
  { minLength: 1, maxLength: 8 },
);

test('document trim: a document in an unusual encoding is restored byte for byte', async (t) => {
  const skim = new DocumentSkim();
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(odd, { minLength: 1, maxLength: 10 }), async (given) => {
      const documents: Buffer[] = [];
      const bytes = write((writer) => {
        for (const fields of given) {
          const document = Buffer.concat(fields);
          try {
            skim.read(document, 0, document.length);
          } catch {
            continue;
          }
          if (skim.nameEnd === skim.nameStart) continue;
          writer.document(document, 0, document.length, skim);
          documents.push(document);
        }
      }, false);
      kept += documents.length;
      deepEqual(contents(await leavesOf(bytes)), documents);
    }),
    { ...seed(t), numRuns: 200 },
  );
  ok(kept > 100);
});

test('document trim: wrong marks lose nothing, because mismatching fields are not trimmed', async () => {
  const [first, second] = [samples(2)[0]!, samples(2)[1]!];
  const marks: DocumentMarks = {
    nameStart: 3,
    nameEnd: 20,
    createdSeconds: 2 ** 60,
    createdNanos: -1,
    updatedSeconds: 5,
    updatedNanos: 1.5,
  };
  const leaves = await leavesOf(
    write((writer) => {
      writer.document(first.bytes, 0, first.bytes.length, marks);
      writer.document(second.bytes, 0, second.bytes.length, { ...marks, updatedNanos: 7 });
    }, false),
  );
  deepEqual(contents(leaves), [first.bytes, second.bytes]);
});

test('leaf: names of two leaves compare below their roots like the names themselves', async () => {
  const paths = ['a/__id7__', 'a/__id10__', 'a/1', 'a/1/b/2', 'a/10', 'a/é', 'b/1'];
  const time = { seconds: 1, nanos: 0 };
  const leafOf = async (at: string) => {
    const documents = paths.map((path) => ({
      name: Buffer.from(at + path),
      bytes: documentOf(at + path, { text: '', created: time, updated: time }),
      updated: time,
    }));
    return (await leavesOf(write((writer) => addAll(writer, documents))))[0]!;
  };
  const [short, long] = [await leafOf('r/'), await leafOf(`${root}/`)];
  for (const i of paths.keys())
    for (const j of paths.keys()) equal(Math.sign(short.compareTails(i, 2, long, j, root.length + 1)), Math.sign(i - j));
});

test('leaf: stores tombstones and users beside documents', async () => {
  const body = Buffer.from('accounts/uid-1{"localId":"uid-1"}');
  const marks = { nameStart: 0, nameEnd: 14, createdSeconds: 0, createdNanos: 0, updatedSeconds: 9, updatedNanos: 8 };
  const [leaf] = await leavesOf(
    write((writer) => {
      writer.record(recordKind.user, body, marks, 14, body.length);
      writer.record(recordKind.tombstone, Buffer.from(`${root}/a/gone`), { ...marks, nameEnd: root.length + 7 }, 0, 0);
      addAll(writer, samples(1));
    }),
  );
  deepEqual([leaf!.kind(0), leaf!.kind(1), leaf!.kind(2)], [recordKind.user, recordKind.tombstone, recordKind.document]);
  deepEqual([String(leaf!.name(0)), String(leaf!.content(0))], ['accounts/uid-1', '{"localId":"uid-1"}']);
  deepEqual([leaf!.content(1).length, leaf!.updated(1)], [0, { seconds: 9, nanos: 8 }]);
});

test('document skim: finds name and times, and rejects invalid messages', () => {
  const skim = new DocumentSkim();
  const document = documentOf('a/b', { text: 'text', created: { seconds: 1, nanos: 2 }, updated: { seconds: -3, nanos: 4 } });
  const around = Buffer.concat([Buffer.from('xx'), document, Buffer.from('yy')]);
  skim.read(around, 2, around.length - 2);
  equal(around.toString('utf8', skim.nameStart, skim.nameEnd), 'a/b');
  deepEqual([skim.createdSeconds, skim.createdNanos, skim.updatedSeconds, skim.updatedNanos], [1, 2, -3, 4]);
  // A message cut between two fields is still a message.
  const fine = Array.from({ length: document.length - 1 }, (_, i) => document.subarray(0, i + 1)).filter((cut) => {
    try {
      skim.read(cut, 0, cut.length);
      return true;
    } catch {
      refusesNow(() => skim.read(cut, 0, cut.length), 'record-invalid');
      return false;
    }
  });
  equal(fine.length, 3);
  for (const hex of [
    '0a',
    '0a05',
    '0aff',
    'ffffffffffffffffffff01',
    '0b',
    '0c',
    '0e',
    '0ffff',
    '220208',
    '41',
    '0affffffffffffffffff01',
    '3d0000',
  ])
    refusesNow(() => skim.read(Buffer.from(hex, 'hex'), 0, hex.length >> 1), 'record-invalid');
});

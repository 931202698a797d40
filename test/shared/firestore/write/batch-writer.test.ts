/** The requests of the writer and the resulting documents. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { lastKey } from '../../../../infra/local/engines/firestore/base/path-key.ts';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { documentFields } from '../../../../infra/local/engines/firestore/value/encode-document.ts';
import { collectionRange, probeSource, readRange, referenceRewriter } from '../../../../shared/firestore/index.ts';
import { BatchWriter, type BatchWriterOptions } from '../../../../shared/firestore/write/batch-writer.ts';
import { batchLimit } from '../../../../shared/firestore/write/write-batch.ts';
import { WriteEncoder, type WriteMode } from '../../../../shared/firestore/write/write-encoder.ts';
import type { WriteTally } from '../../../../shared/firestore/write/write-tally.ts';
import { randomTree } from '../../../harness/builders/random-tree.ts';
import {
  documentOf,
  encode,
  fieldsAt,
  hexFields,
  integer,
  map,
  startTarget,
  text,
} from '../../../harness/faults/faulty-target.ts';
import { awkward, contents, name, root, sourceOf, startServer } from '../../../harness/firestore/firestore-server.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
beforeEach(() => server.faults.resetCalls());

const write = async (
  documents: Iterable<Buffer>,
  {
    mode,
    options = {},
    url = server.url,
  }: {
    readonly mode: Exclude<WriteMode, 'delete'>;
    readonly options?: BatchWriterOptions | undefined;
    readonly url?: string | undefined;
  },
): Promise<WriteTally> => {
  const source = sourceOf(url);
  const writer = new BatchWriter(source, options);
  try {
    for (const document of documents) await writer.put(document, mode);
    const tally = await writer.end();
    equal(tally.written + tally.skipped + tally.failed, tally.given);
    return tally;
  } finally {
    source.close();
  }
};
const database = () => server.databases.open(name);
const array = (...values: Uint8Array[]): Uint8Array => encode({ arrayValue: { values } });
const given = {
  title: text('saved'),
  count: integer(3),
  map: map({ a: integer(1), b: map({ c: integer(2) }), empty: map({}) }),
  list: array(integer(1), integer(2)),
};

test('write encoder: encodes a write as the protos define, without the times of the document', () => {
  const document = documentOf('c/é', given);
  const { createTime, updateTime, ...rest } = proto.Document.decode(document);
  const update = Buffer.from(proto.Document.encode(rest));
  const encoder = new WriteEncoder();
  const decoded = () => proto.BatchWriteRequest.decode(encoder.sink.bytes.subarray(0, encoder.sink.length)).writes[0]!;
  ok(createTime && updateTime);
  encoder.put(document, 'overwrite');
  deepEqual(Buffer.from(decoded()), Buffer.from(proto.Write.encode({ update })));
  equal(encoder.name, `${root}/c/é`);
  encoder.put(document, 'skip_existing');
  const currentDocument = proto.Precondition.encode({ exists: false });
  deepEqual(Buffer.from(decoded()), Buffer.from(proto.Write.encode({ update, currentDocument })));
  encoder.put(document, 'merge');
  const fieldPaths = ['title', 'count', 'map.a', 'map.b.c', 'map.empty', 'list'];
  const updateMask = proto.DocumentMask.encode({ fieldPaths });
  deepEqual(Buffer.from(decoded()), Buffer.from(proto.Write.encode({ update, updateMask })));
  encoder.delete(`${root}/c/é`);
  deepEqual(Buffer.from(decoded()), Buffer.from(proto.Write.encode({ delete: `${root}/c/é` })));
  // Fields in an unusual order, and one of a later version.
  const parts = [update.subarray(update.indexOf(0x12)), document.subarray(update.length), Buffer.from([0x7a, 1, 7])];
  const nameField = update.subarray(0, update.indexOf(0x12));
  encoder.put(Buffer.concat([...parts, nameField]), 'overwrite');
  equal(encoder.name, `${root}/c/é`);
  const sent = proto.Write.decode(decoded()).update!;
  deepEqual(Buffer.from(sent), Buffer.concat([parts[0]!, parts[2]!, nameField]));
});

test('batch writer: every document arrives unchanged, whatever its name', async (t) => {
  const target = await startTarget(t);
  const documents = awkward.map((path, n) => documentOf(path, { ...given, n: integer(n) }));
  const { written } = await write(documents, { mode: 'overwrite', options: {}, url: target.url });
  equal(written, awkward.length);
  for (const [n, path] of awkward.entries())
    deepEqual(fieldsAt(target.database, path), hexFields({ ...given, n: integer(n) }), path);
});

test('batch writer: splits requests by count and sends several at once', async (t) => {
  const target = await startTarget(t);
  const documents = Array.from({ length: 1_234 }, (_, n) => documentOf(`many/${n}`, { n: integer(n) }));
  equal((await write(documents, { mode: 'overwrite', options: {}, url: target.url })).written, 1_234);
  deepEqual(
    target.requests.map(({ writes }) => writes).sort((a, b) => b - a),
    [500, 500, 234],
  );
});

test('batch writer: splits requests by bytes, so that documents of 1 MiB arrive', async (t) => {
  const target = await startTarget(t);
  // The maximum: 1 MiB as Firestore measures names and values.
  const room = 1_048_576 - 16 - 'large/00'.length - 1 - 32;
  const fieldsOf = (bytes: number) => ({ a: text('x'.repeat(1_000_000)), b: text('y'.repeat(bytes - 1_000_000 - 2 * 3)) });
  const documents = Array.from({ length: 14 }, (_, n) => documentOf(`large/${String(n).padStart(2, '0')}`, fieldsOf(room)));
  const total = documents.reduce((sum, { length }) => sum + length, 0);
  ok(total > 10 << 20);
  equal((await write(documents, { mode: 'overwrite', options: {}, url: target.url })).written, 14);
  ok(target.requests.every(({ bytes }) => bytes <= batchLimit.bytes + 1_000));
  ok([...target.attempts.values()].every((attempts) => attempts === 1));
  // One more byte fails the document.
  const tooLarge = documentOf('large/xx', fieldsOf(room + 1));
  const { written, failures } = await write([documents[0]!, tooLarge, documents[1]!], {
    mode: 'merge',
    options: {},
    url: target.url,
  });
  equal(written, 2);
  deepEqual(
    failures.map(({ path, code }) => [path, code]),
    [['large/xx', 'INVALID_ARGUMENT']],
  );
});

test('batch writer: a document larger than any request fails without being sent', async () => {
  const huge = documentOf('huge/1', { a: encode({ bytesValue: Buffer.alloc(11 << 20) }) });
  const { written, failures } = await write([huge, documentOf('huge/2', given)], { mode: 'overwrite' });
  equal(written, 1);
  deepEqual(
    failures.map(({ path, code }) => [path, code]),
    [['huge/1', 'INVALID_ARGUMENT']],
  );
  equal(server.faults.calls.BatchWrite, 1);
});

test('batch writer: reports each document that the target rejects and writes all others', async () => {
  const bad = {
    'hard/__id0__': { a: integer(1) },
    'hard/__foo__': { a: integer(1) },
    'hard/reserved': { __own__: integer(1) },
    'hard/nested': { a: array(array(integer(1))) },
    'hard/large': { a: text('x'.repeat(1_048_576)) },
    'hard/..': { a: integer(1) },
    [`hard/${'x'.repeat(1_501)}`]: { a: integer(1) },
  };
  const good = Array.from({ length: 700 }, (_, n) => documentOf(`hard/${n}`, { n: integer(n) }));
  const numeric = ['hard/__id7__', 'hard/__id-9223372036854775808__'].map((path) => documentOf(path, given));
  const documents = [...good, ...numeric];
  for (const [n, [path, fields]] of Object.entries(bad).entries()) documents.splice(n * 90 + 13, 0, documentOf(path, fields));
  const tally = await write(documents, { mode: 'overwrite' });
  deepEqual([tally.given, tally.written, tally.failed], [709, 702, 7]);
  deepEqual(tally.failures.map(({ path }) => path).sort(), Object.keys(bad).sort());
  ok(tally.failures.every(({ code, message }) => code === 'INVALID_ARGUMENT' && message.length > 10 && message.length <= 300));
  equal(contents(server).filter(([path]) => path.startsWith('hard/')).length, 702);
});

test('batch writer: a target without numeric ids fails only those documents', async () => {
  server.faults.add({ method: 'BatchWrite', contains: '__id7__', status: 'INVALID_ARGUMENT', times: 1_000 });
  const paths = ['numeric/a', 'numeric/__id7__', 'numeric/b', 'numeric/c', 'numeric/__id77__'];
  const tally = await write(
    paths.map((path) => documentOf(path, given)),
    { mode: 'skip_existing' },
  );
  server.faults.clear();
  deepEqual([tally.written, tally.skipped], [4, 0]);
  deepEqual(tally.failures, [{ path: 'numeric/__id7__', code: 'INVALID_ARGUMENT', message: 'Injected fault.' }]);
});

test('batch writer: lists 100 failures and counts all', async () => {
  const documents = Array.from({ length: 230 }, (_, n) => documentOf(`f/__${n}__`, {}));
  const tally = await write([...documents, documentOf('f/fine', {})], { mode: 'overwrite' });
  deepEqual([tally.written, tally.failed, tally.failures.length], [1, 230, 100]);
});

test('batch writer: writes of one document keep their order and never share a request', async (t) => {
  const target = await startTarget(t);
  const source = sourceOf(target.url);
  const writer = new BatchWriter(source, { limit: { writes: 3 } });
  for (let n = 0; n < 40; n++) {
    await writer.put(documentOf(`again/${n % 4}`, { n: integer(n) }), 'overwrite');
    if (n % 10 === 9) await writer.delete(`again/${n % 4}`);
  }
  await writer.put(documentOf('again/1', { last: integer(1) }), 'merge');
  const tally = await writer.end();
  deepEqual([tally.given, tally.written, tally.deleted], [45, 45, 4]);
  deepEqual(fieldsAt(target.database, 'again/0'), hexFields({ n: integer(36) }));
  deepEqual(fieldsAt(target.database, 'again/1'), hexFields({ last: integer(1), n: integer(37) }));
  deepEqual(fieldsAt(target.database, 'again/2'), hexFields({ n: integer(38) }));
  deepEqual(fieldsAt(target.database, 'again/3'), undefined);
  source.close();
});

test('batch writer: skip_existing keeps a document that another client creates first', async () => {
  const rival = sourceOf(server.url);
  const source = sourceOf(server.url);
  const paths = Array.from({ length: 400 }, (_, n) => `race/${n}`);
  const race = async (from: typeof source, who: string) => {
    const writer = new BatchWriter(from, { limit: { writes: 7 } });
    const order = who === 'rival' ? paths.toReversed() : paths;
    for (const path of order) await writer.put(documentOf(path, { who: text(who) }), 'skip_existing');
    return writer.end();
  };
  const [ours, theirs] = await Promise.all([race(source, 'ours'), race(rival, 'rival')]);
  deepEqual([ours.written + theirs.written, ours.skipped + theirs.skipped], [400, 400]);
  ok(ours.written > 0 && theirs.written > 0);
  const wrote = { ours: 0, rival: 0 };
  for (const path of paths)
    wrote[fieldsAt(database(), path)?.who === hexFields({ who: text('ours') }).who ? 'ours' : 'rival'] += 1;
  deepEqual(wrote, { ours: ours.written, rival: theirs.written });
  rival.close();
  source.close();
});

test('batch writer: rejects invalid documents and documents of another database before sending', async () => {
  const source = sourceOf(server.url);
  const writer = new BatchWriter(source);
  const other = proto.Document.encode({ name: 'projects/other/databases/(default)/documents/a/b', fields: new Map() });
  throws(() => writer.put(other, 'overwrite'), TypeError);
  throws(() => writer.put(Buffer.from([0x0a, 0xff]), 'overwrite'));
  throws(() => writer.put(Buffer.alloc(0), 'merge'));
  equal((await writer.end()).given, 0);
  equal(server.faults.calls.BatchWrite ?? 0, 0);
  source.close();
});

test('batch writer: flush resolves when all writes so far are decided', async () => {
  const source = sourceOf(server.url);
  const writer = new BatchWriter(source);
  for (let n = 0; n < 900; n++) {
    await writer.put(documentOf(`flush/${n}`, { n: integer(n) }), 'overwrite');
    if (n % 250 !== 0) continue;
    await writer.flush();
    deepEqual([writer.tally.written, writer.tally.open], [n + 1, 0]);
  }
  equal((await writer.end()).written, 900);
  await writer.flush();
  source.close();
});

test('batch writer: the input may be reused once it is accepted', async (t) => {
  const target = await startTarget(t);
  const source = sourceOf(target.url);
  const writer = new BatchWriter(source, { limit: { writes: 10 } });
  const shared = Buffer.alloc(1_000);
  for (let n = 0; n < 100; n++) {
    const document = documentOf(`reuse/${n}`, { n: integer(n) });
    document.copy(shared);
    await writer.put(shared.subarray(0, document.length), 'overwrite');
    shared.fill(0xff);
  }
  equal((await writer.end()).written, 100);
  for (let n = 0; n < 100; n++) deepEqual(fieldsAt(target.database, `reuse/${n}`), hexFields({ n: integer(n) }));
  source.close();
  await rejects(async () => writer.put(Buffer.alloc(3), 'overwrite'));
});

test('batch writer: documents copied to another project are equal byte for byte except for references', async (t) => {
  const tree = randomTree(7, 400, root);
  const from = sourceOf(server.url);
  const to = sourceOf(server.url, { projectId: 'other', databaseId: 'second' });
  t.onTestFinished(() => {
    from.close();
    to.close();
  });
  const setup = new BatchWriter(from);
  for (const [path, fields] of tree) await setup.put(documentOf(`whole/tree/${path}`, Object.fromEntries(fields)), 'overwrite');
  equal((await setup.end()).written, tree.size);
  const { readTime } = await probeSource(from);
  const rewrite = referenceRewriter(from.database, to.database);
  const writer = new BatchWriter(to);
  const given = new Map<string, string>();
  for await (const batch of readRange(from, { range: collectionRange('whole'), readTime }))
    for (let i = 0; i < batch.count; i++) {
      const document = rewrite(batch.document(i));
      given.set(
        batch
          .nameBytes(i)
          .toString()
          .slice(root.length + 1),
        Buffer.from(documentFields(document)).toString('hex'),
      );
      await writer.put(document, 'skip_existing');
    }
  equal((await writer.end()).written, tree.size);
  const target = server.databases.open({ projectId: 'other', databaseId: 'second' });
  const held = [...target.scan('', lastKey, { at: target.readTime() })].map(
    ({ path, bytes }) => [path, Buffer.from(documentFields(bytes)).toString('hex')] as const,
  );
  deepEqual(new Map(held), given);
});

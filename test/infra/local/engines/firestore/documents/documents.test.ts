import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { status } from '../../../../../../infra/local/engines/firestore/base/types.ts';
import { frame } from '../../../../../../infra/local/engines/firestore/grpc/frames.ts';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { proto, timestampOf } from '../../../../../../infra/local/engines/firestore/proto/codecs.ts';
import { seed } from '../../../../../../infra/local/engines/firestore/seed/seed-documents.ts';
import { SeededRandom } from '../../../../../../infra/local/engines/firestore/seed/seeded-random.ts';
import { collect, RawGrpc } from '../../../../../harness/firestore/raw-grpc.ts';

const name = { projectId: 'p', databaseId: '(default)' };
const database = 'projects/p/databases/(default)';
const root = `${database}/documents`;

describe('documents on the wire', () => {
  let server: Firestore;
  let client: RawGrpc;
  const logged: unknown[] = [];
  beforeAll(async () => {
    server = await startFirestore({ log: (error) => logged.push(error) });
    client = new RawGrpc(server.url);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  const text = (value: string) => proto.Value.encode({ stringValue: value });
  const document = (path: string, fields: Record<string, Uint8Array> = { a: text('b') }) =>
    proto.Document.encode({ name: `${root}/${path}`, fields: new Map(Object.entries(fields)) });
  const commit = async (...documents: Uint8Array[]) => {
    const writes = documents.map((update) => proto.Write.encode({ update }));
    const answer = await client.call('Commit', [proto.CommitRequest.encode({ database, writes })]);
    assert.equal(answer.status, 0, answer.message);
    return proto.CommitResponse.decode(answer.messages[0]!);
  };
  const get = async (path: string) => {
    const answer = await client.call('GetDocument', [proto.GetDocumentRequest.encode({ name: `${root}/${path}` })]);
    return { ...answer, document: answer.messages[0] && proto.Document.decode(answer.messages[0]) };
  };

  it('returns fields byte for byte', async () => {
    const fields = {
      zebra: text('last written first'),
      nested: proto.Value.encode({
        mapValue: {
          fields: new Map([
            ['b', text('1')],
            ['a', proto.Value.encode({ doubleValue: -0 })],
          ]),
        },
      }),
      apple: proto.Value.encode({ arrayValue: { values: [text(''), proto.Value.encode({ integerValue: -1n })] } }),
    };
    await commit(document('bytes/x', fields));
    const { document: read } = await get('bytes/x');
    const sorted = (entries: Iterable<[string, Uint8Array]>) =>
      [...entries].map(([key, value]) => [key, Buffer.from(value).toString('hex')]).sort();
    assert.deepEqual(sorted(read!.fields), sorted(Object.entries(fields)));
    assert.deepEqual(read!.createTime, read!.updateTime);
  });

  it('answers a batch get once per requested document as of one time, missing ones last', async () => {
    await commit(document('batch/a'), document('batch/b'));
    const documents = ['a', 'none', 'b', 'a'].map((id) => `${root}/batch/${id}`);
    const { messages } = await client.call('BatchGetDocuments', [proto.BatchGetDocumentsRequest.encode({ database, documents })]);
    const answers = messages.map((message) => proto.BatchGetDocumentsResponse.decode(message));
    const names = answers.map(({ found, missing }) => missing ?? proto.Document.decode(found!).name);
    assert.deepEqual(
      names,
      ['a', 'b', 'none'].map((id) => `${root}/batch/${id}`),
    );
    assert.equal(new Set(answers.map(({ readTime }) => `${readTime?.seconds}.${readTime?.nanos}`)).size, 1);
  });

  it('continues a list after the last page although documents change in between', async () => {
    await commit(...['a', 'b', 'd', 'e'].map((id) => document(`pages/${id}`)));
    const page = async (pageToken: string, more: object = {}) => {
      const request = { parent: root, collectionId: 'pages', pageSize: 2, pageToken, ...more };
      const answer = await client.call('ListDocuments', [proto.ListDocumentsRequest.encode(request)]);
      const { documents, nextPageToken } =
        answer.status === 0 ? proto.ListDocumentsResponse.decode(answer.messages[0]!) : { documents: [], nextPageToken: '' };
      return {
        status: answer.status,
        nextPageToken,
        ids: documents.map((bytes) => proto.Document.decode(bytes).name.split('/').at(-1)),
      };
    };
    const first = await page('');
    assert.deepEqual(first.ids, ['a', 'b']);
    await commit(document('pages/aa'), document('pages/c'));
    const second = await page(first.nextPageToken);
    assert.deepEqual(second.ids, ['c', 'd']);
    assert.deepEqual((await page(second.nextPageToken)).ids, ['e']);
    assert.equal((await page(first.nextPageToken, { showMissing: true })).status, status.INVALID_ARGUMENT);
    assert.equal((await page('', { pageSize: -1 })).status, status.INVALID_ARGUMENT);
  });

  it('reads all pages of a list at the requested time', async () => {
    const { commitTime } = await commit(document('moment/a'), document('moment/b'), document('moment/c'));
    await commit(document('moment/aa'));
    const ids: string[] = [];
    for (let pageToken = ''; ; ) {
      const request = { parent: root, collectionId: 'moment', pageSize: 1, pageToken, readTime: commitTime };
      const { messages } = await client.call('ListDocuments', [proto.ListDocumentsRequest.encode(request)]);
      const page = proto.ListDocumentsResponse.decode(messages[0]!);
      ids.push(...page.documents.map((bytes) => proto.Document.decode(bytes).name.split('/').at(-1) ?? ''));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    assert.deepEqual(ids, ['a', 'b', 'c']);
  });

  it('rejects a name in a create and requires one in an update', async () => {
    const create = { parent: root, collectionId: 'named', documentId: 'x', document: document('named/y') };
    assert.equal(
      (await client.call('CreateDocument', [proto.CreateDocumentRequest.encode(create)])).status,
      status.INVALID_ARGUMENT,
    );
    assert.equal((await client.call('UpdateDocument', [proto.UpdateDocumentRequest.encode({})])).status, status.INVALID_ARGUMENT);
    const nameless = proto.UpdateDocumentRequest.encode({ document: proto.Document.encode({}) });
    assert.equal((await client.call('UpdateDocument', [nameless])).status, status.INVALID_ARGUMENT);
  });

  it('a write stream commits in order, acknowledges tokens, resumes, and ends at its first failure', async () => {
    const stream = client.open('Write');
    const answer = collect(stream);
    stream.write(frame([proto.WriteRequest.encode({ database })]));
    const first = Buffer.from('w0');
    const send = (streamToken: Uint8Array, writes: Uint8Array[]) =>
      stream.write(frame([proto.WriteRequest.encode({ streamToken, writes })]));
    for (let i = 0; i < 5; i++) send(first, [proto.Write.encode({ update: document('stream/x', { i: text(String(i)) }) })]);
    send(first, []);
    const exists = proto.Precondition.encode({ exists: false });
    send(first, [proto.Write.encode({ update: document('stream/x'), currentDocument: exists })]);
    const { messages, status: code } = await answer;
    const answers = messages.map((message) => proto.WriteResponse.decode(message));
    assert.equal(code, status.ALREADY_EXISTS);
    assert.equal(answers.length, 7);
    const times = answers.flatMap(({ commitTime }) =>
      commitTime ? [commitTime.seconds * 1_000_000_000n + BigInt(commitTime.nanos)] : [],
    );
    assert.equal(times.length, 5);
    assert.deepEqual(
      times,
      [...times].sort((a, b) => (a < b ? -1 : 1)),
    );
    assert.equal(Buffer.from((await get('stream/x')).document!.fields.get('i')!).equals(Buffer.from(text('4'))), true);
    const resume = (streamToken: Uint8Array) =>
      client.call('Write', [proto.WriteRequest.encode({ database, streamId: answers[0]!.streamId, streamToken })]);
    const resumed = await resume(answers[3]!.streamToken);
    const again = resumed.messages.map((message) => proto.WriteResponse.decode(message));
    assert.deepEqual(again.slice(0, 2), answers.slice(4, 6));
    assert.equal(again.length, 3);
    assert.deepEqual(again[2]?.writeResults, []);
    assert.deepEqual(again[2]?.streamToken, answers[5]!.streamToken);
    assert.equal((await resume(answers[1]!.streamToken)).status, status.INVALID_ARGUMENT);
    assert.equal(resumed.status, 0);
  });

  it('survives random and mutated requests to every method without an internal error', async (t) => {
    const seedNumber = Number(process.env.SEED ?? 7);
    void t.annotate(`SEED=${seedNumber}`);
    const dice = new SeededRandom(seedNumber);
    const time = timestampOf(Date.now() * 1000);
    const mask = proto.DocumentMask.encode({ fieldPaths: ['a', '`b.c`.d'] });
    const write = proto.Write.encode({
      update: document('fuzz/x', { a: text('x'), m: proto.Value.encode({ mapValue: { fields: new Map([['k', text('v')]]) } }) }),
      updateMask: mask,
      updateTransforms: [{ fieldPath: 'n', increment: proto.Value.encode({ integerValue: 1n }) }],
      currentDocument: proto.Precondition.encode({ exists: true }),
    });
    const newTransaction = proto.TransactionOptions.encode({ readOnly: { readTime: time } });
    const structuredQuery = {
      select: { fields: [{ fieldPath: 'a' }] },
      from: [{ collectionId: 'fuzz', allDescendants: true }],
      where: {
        compositeFilter: {
          op: 'AND' as const,
          filters: [
            {
              fieldFilter: {
                field: { fieldPath: 'a' },
                op: 'IN' as const,
                value: proto.Value.encode({ arrayValue: { values: [text('1')] } }),
              },
            },
          ],
        },
      },
      orderBy: [{ field: { fieldPath: 'a' }, direction: 'DESCENDING' as const }],
      startAt: { values: [text('x')], before: true },
      limit: { value: 3 },
    };
    const requests: Record<string, Uint8Array> = {
      GetDocument: proto.GetDocumentRequest.encode({ name: `${root}/a/b`, mask, readTime: time }),
      ListDocuments: proto.ListDocumentsRequest.encode({ parent: root, collectionId: 'a', pageSize: 3, orderBy: 'a desc', mask }),
      CreateDocument: proto.CreateDocumentRequest.encode({
        parent: root,
        collectionId: 'fuzz',
        document: document('x').subarray(0, 0),
        mask,
      }),
      UpdateDocument: proto.UpdateDocumentRequest.encode({ document: document('fuzz/y'), updateMask: mask, mask }),
      DeleteDocument: proto.DeleteDocumentRequest.encode({
        name: `${root}/fuzz/z`,
        currentDocument: proto.Precondition.encode({ updateTime: time }),
      }),
      BatchGetDocuments: proto.BatchGetDocumentsRequest.encode({ database, documents: [`${root}/a/b`], mask, newTransaction }),
      BeginTransaction: proto.BeginTransactionRequest.encode({
        database,
        options: proto.TransactionOptions.encode({ readWrite: { retryTransaction: Buffer.from('x') } }),
      }),
      Commit: proto.CommitRequest.encode({ database, writes: [write] }),
      Rollback: proto.RollbackRequest.encode({ database, transaction: Buffer.from('nothing') }),
      RunQuery: proto.RunQueryRequest.encode({ parent: root, structuredQuery, newTransaction }),
      RunAggregationQuery: proto.RunAggregationQueryRequest.encode({
        parent: root,
        structuredAggregationQuery: { structuredQuery, aggregations: [{ count: { upTo: { value: 5n } }, alias: 'n' }] },
      }),
      PartitionQuery: proto.PartitionQueryRequest.encode({
        parent: root,
        structuredQuery: { from: structuredQuery.from, orderBy: [{ field: { fieldPath: '__name__' } }] },
        partitionCount: 3n,
      }),
      ListCollectionIds: proto.ListCollectionIdsRequest.encode({ parent: root, pageSize: 2 }),
      BatchWrite: proto.BatchWriteRequest.encode({ database, writes: [write, write] }),
      Write: proto.WriteRequest.encode({ database }),
      Listen: proto.ListenRequest.encode({
        database,
        addTarget: { query: { parent: root, structuredQuery }, targetId: 1, once: true },
      }),
    };
    for (const [method, request] of Object.entries(requests)) {
      const bodies = [request, Buffer.alloc(0), dice.bytes(40)];
      for (let i = 0; i < 150; i++) bodies.push(mutilated(request, dice));
      for (let start = 0; start < bodies.length; start += 50) {
        const answers = await Promise.all(bodies.slice(start, start + 50).map((body) => client.call(method, [body])));
        answers.forEach((answer, i) => {
          const shown = `${method} ${Buffer.from(bodies[start + i]!).toString('hex')} ${answer.message}`;
          assert.notEqual(answer.status, undefined, shown);
          assert.notEqual(answer.status, status.INTERNAL, shown);
          assert.notEqual(answer.status, status.UNKNOWN, shown);
        });
      }
    }
    assert.deepEqual(logged, []);
    await commit(document('after/fuzz'));
  });

  it('rejects a filter nested 200 levels deep', async () => {
    let where: object = { unaryFilter: { op: 'IS_NULL', field: { fieldPath: 'a' } } };
    for (let i = 0; i < 200; i++) where = { compositeFilter: { op: 'AND', filters: [where] } };
    const request = proto.RunQueryRequest.encode({ parent: root, structuredQuery: { from: [{ collectionId: 'a' }], where } });
    assert.equal((await client.call('RunQuery', [request])).status, status.INVALID_ARGUMENT);
  });

  it('seeds the requested documents, one in ten below a missing parent, the same each time', async () => {
    await seed(server.databases, { name: { ...name, projectId: 'seeded' }, count: 2000 });
    await seed(server.databases, { name: { ...name, projectId: 'again' }, count: 2000 });
    const documents = (projectId: string) => {
      const found = server.databases.open({ ...name, projectId });
      return [...found.scan('', '\xff', { at: found.readTime() })];
    };
    const paths = documents('seeded').map(({ path }) => path);
    assert.equal(paths.length, 2000);
    const all = new Set(paths);
    const orphans = paths.filter((path) => path.split('/').length > 2 && !all.has(path.split('/').slice(0, -2).join('/')));
    assert.equal(orphans.length, 200);
    assert.deepEqual(
      documents('again').map(({ path }) => path),
      paths,
    );
  });

  it('stops a stream when its reader leaves', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const parent = 'projects/seeded/databases/(default)/documents';
    const request = proto.RunQueryRequest.encode({ parent, structuredQuery: { from: [{ allDescendants: true }] } });
    for (let i = 0; i < 200; i++) {
      const stream = client.open('RunQuery');
      stream.end(frame([request]));
      stream.once('response', () => stream.close(8));
      await new Promise((resolve) => stream.once('close', resolve));
    }
    await sleep(100);
    assert.equal((await get('after/fuzz')).status, 0);
    assert.ok(process.memoryUsage().arrayBuffers - before < 100 << 20);
  });
});

/** One to three changes that a faulty client or connection could make. */
function mutilated(request: Uint8Array, dice: SeededRandom): Uint8Array {
  let bytes = Buffer.from(request);
  for (let changes = 1 + dice.below(3); changes > 0; changes--) {
    const at = dice.below(bytes.length);
    const kind = dice.below(4);
    if (kind === 0) bytes = bytes.subarray(0, at);
    else if (kind === 1) bytes[at] = dice.below(256);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), dice.bytes(1 + dice.below(4)), bytes.subarray(at)]);
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice.below(4))]);
    if (bytes.length === 0) return bytes;
  }
  return bytes;
}

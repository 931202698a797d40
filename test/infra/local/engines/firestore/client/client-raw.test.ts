import assert from 'node:assert/strict';
import type { v1 } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { failure, rawClientOf } from '../../../../../harness/firestore/firestore-client.ts';

const database = 'projects/raw/databases/(default)';
const root = `${database}/documents`;
type Time = { seconds: number; nanos: number };
const number = (integerValue: number) => ({ integerValue });

describe('the generated v1 client', () => {
  let server: Firestore;
  let client: InstanceType<typeof v1.FirestoreClient>;
  beforeAll(async () => {
    server = await startFirestore();
    client = rawClientOf(server);
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
  });

  const set = (path: string, value: number) => ({ update: { name: `${root}/${path}`, fields: { v: number(value) } } });

  it('creates with and without an id, updates, reads and deletes', async () => {
    const [made] = await client.createDocument({ parent: root, collectionId: 'crud', document: { fields: { v: number(1) } } });
    assert.match(made.name ?? '', /\/crud\/[A-Za-z0-9]{20}$/);
    const [named] = await client.createDocument({ parent: root, collectionId: 'crud', documentId: 'x', document: {} });
    assert.equal(named.name, `${root}/crud/x`);
    const again = client.createDocument({ parent: root, collectionId: 'crud', documentId: 'x', document: {} });
    assert.equal((await failure(again)).code, 6);
    const [updated] = await client.updateDocument({
      document: { name: `${root}/crud/x`, fields: { a: number(1), b: number(2) } },
      updateMask: { fieldPaths: ['a'] },
      mask: { fieldPaths: ['a'] },
    });
    assert.deepEqual(Object.keys(updated.fields ?? {}), ['a']);
    const [read] = await client.getDocument({ name: `${root}/crud/x` });
    assert.deepEqual(Object.keys(read.fields ?? {}), ['a']);
    assert.deepEqual(read.createTime, named.createTime);
    await client.deleteDocument({ name: `${root}/crud/x`, currentDocument: { exists: true } });
    const { code, details } = await failure(client.getDocument({ name: `${root}/crud/x` }));
    assert.equal(code, 5);
    assert.equal(details, `Document "${root}/crud/x" not found.`);
  });

  it('lists in pages, by name and by fields, with masks and missing documents', async () => {
    const writes = Array.from({ length: 45 }, (_, i) => set(`list/d${String(i).padStart(2, '0')}`, i % 5));
    await client.commit({ database, writes: [...writes, set('list/d07/sub/x', 1), set('list/missing/sub/x', 1)] });
    const list = async (more: object) => {
      const [documents] = await client.listDocuments({ parent: root, collectionId: 'list', ...more });
      return documents;
    };
    assert.equal((await list({})).length, 45);
    assert.equal((await list({ pageSize: 7 })).length, 45);
    const missing = (await list({ showMissing: true, mask: { fieldPaths: [] } })).at(-1);
    assert.equal(missing?.name, `${root}/list/missing`);
    assert.equal(missing?.createTime, null);
    const ordered = await list({ orderBy: 'v desc, __name__', pageSize: 4 });
    const expected = [...writes].sort(
      (a, b) => b.update.fields.v.integerValue - a.update.fields.v.integerValue || (a.update.name < b.update.name ? -1 : 1),
    );
    assert.deepEqual(
      ordered.map(({ name }) => name),
      expected.map(({ update }) => update.name),
    );
    const refusal = async (more: object) => (await failure(list(more))).details;
    assert.equal(await refusal({ showMissing: true, orderBy: '__name__' }), 'cannot specify an order when show_missing is true');
    assert.equal(await refusal({ pageToken: 'nonsense' }), 'invalid page token');
    assert.equal(await refusal({ orderBy: 'a sideways' }), 'Invalid order by clause "a sideways".');
    assert.equal(await refusal({ orderBy: 'a', collectionId: '' }), 'kind is required for all orders except __key__ ascending');
    assert.equal(await refusal({ pageSize: -1 }), 'Page size must be nonnegative.');
    const [everywhere] = await client.listDocuments({ parent: `${root}/list/d07`, collectionId: '' });
    assert.deepEqual(
      everywhere.map(({ name }) => name),
      [`${root}/list/d07/sub/x`],
    );
  });

  it('returns a page of 100 by default with a token for the next', async () => {
    await client.commit({ database, writes: Array.from({ length: 350 }, (_, i) => set(`long/d${i}`, i)) });
    const [documents, next] = await client.listDocuments({ parent: root, collectionId: 'long' }, { autoPaginate: false });
    assert.equal(documents.length, 100);
    const [large] = await client.listDocuments({ parent: root, collectionId: 'long', pageSize: 1000 }, { autoPaginate: false });
    assert.equal(large.length, 300);
    assert.ok(next?.pageToken);
  });

  it('reads any time of the last hour and rejects times that are too old or in the future', async () => {
    const [first] = await client.commit({ database, writes: [set('past/x', 1)] });
    const [second] = await client.commit({ database, writes: [set('past/x', 2), set('past/y', 1)] });
    const at = async (readTime: Time) =>
      (await client.getDocument({ name: `${root}/past/x`, readTime }))[0].fields?.v?.integerValue;
    assert.equal(await at(first.commitTime as Time), '1');
    assert.equal(await at(second.commitTime as Time), '2');
    const [then] = await client.listDocuments({ parent: root, collectionId: 'past', readTime: first.commitTime as Time });
    assert.equal(then.length, 1);
    const seconds = Math.floor(Date.now() / 1000);
    const old = await failure(at({ seconds: seconds - 7200, nanos: 0 }));
    assert.equal(old.code, 9);
    assert.match(old.details, /too old/);
    assert.equal((await failure(at({ seconds: seconds + 7200, nanos: 0 }))).code, 3);
  });

  it('gives each write of a BatchWrite its own status, in order', async () => {
    const [answer] = await client.batchWrite({
      database,
      writes: [
        set('bw/a', 1),
        { ...set('bw/none', 1), currentDocument: { exists: true } },
        { delete: `${root}/bw/b` },
        { ...set('list/d00', 1), currentDocument: { updateTime: { seconds: 1, nanos: 0 } } },
      ],
    });
    assert.deepEqual(
      answer.status?.map(({ code }) => code),
      [0, 5, 0, 9],
    );
    assert.equal(answer.writeResults?.length, 4);
    assert.ok(answer.writeResults?.[0]?.updateTime);
    const twice = client.batchWrite({ database, writes: [set('bw/a', 1), set('bw/a', 2)] });
    assert.equal((await failure(twice)).code, 3);
  });

  it('begins a transaction with a batch get and sends its id first', async () => {
    const responses = await collected<{ transaction: Uint8Array }>(
      client.batchGetDocuments({ database, documents: [], newTransaction: { readWrite: {} } }),
    );
    const transaction = responses[0]!.transaction;
    assert.ok(transaction.length > 0);
    await client.commit({ database, transaction, writes: [set('tx/x', 1)] });
    assert.ok([3, 10].includes(Number((await failure(client.commit({ database, transaction, writes: [] }))).code)));
  });

  it('writes by stream: a handshake, then one commit per request', async () => {
    const stream = client.write();
    const answers: { streamToken: Uint8Array; streamId: string; commitTime: unknown; writeResults: unknown[] }[] = [];
    const wake: (() => void)[] = [];
    stream.on('data', (answer) => {
      answers.push(answer);
      wake.shift()?.();
    });
    const next = () => new Promise<void>((resolve) => wake.push(resolve));
    let came = next();
    stream.write({ database });
    await came;
    assert.ok(answers[0]?.streamId);
    for (let i = 1; i <= 3; i++) {
      came = next();
      stream.write({ streamToken: answers.at(-1)?.streamToken, writes: [set('stream/x', i)] });
      await came;
      assert.ok(answers.at(-1)?.commitTime);
      assert.equal(answers.at(-1)?.writeResults.length, 1);
    }
    stream.end();
    assert.equal((await client.getDocument({ name: `${root}/stream/x` }))[0].fields?.v?.integerValue, '3');
    const wrong = client.write();
    const failed = new Promise<{ code: number }>((resolve) => wrong.on('error', resolve));
    wrong.on('data', () => wrong.write({ streamToken: Buffer.from('forged'), writes: [] }));
    wrong.write({ database });
    assert.equal((await failed).code, 3);
  });

  it('lists collection ids below any parent, in pages, at a time', async () => {
    const [{ commitTime }] = await client.commit({ database, writes: ['b', 'a', 'c/x/d'].map((c) => set(`ids/p/${c}/1`, 1)) });
    await client.commit({ database, writes: [set('ids/p/later/1', 1)] });
    const ids = async (more: object) => (await client.listCollectionIds({ parent: `${root}/ids/p`, ...more }))[0];
    assert.deepEqual(await ids({}), ['a', 'b', 'c', 'later']);
    assert.deepEqual(await ids({ pageSize: 1 }), ['a', 'b', 'c', 'later']);
    assert.deepEqual(await ids({ readTime: commitTime }), ['a', 'b', 'c']);
    assert.deepEqual((await client.listCollectionIds({ parent: `${root}/ids/p/c/x` }))[0], ['d']);
  });

  it('rejects malformed names and names of another database', async () => {
    for (const name of [
      '',
      'x',
      `${root}/odd`,
      `${root}/a/b/c`,
      `${root}/a//b`,
      `${root}/a/..`,
      `${root}/__a__/b`,
      `${root}/a/${'x'.repeat(1501)}`,
    ])
      assert.equal((await failure(client.getDocument({ name }))).code, 3, name);
    const foreign = 'projects/other/databases/(default)/documents/a/b';
    assert.equal((await failure(client.commit({ database, writes: [{ delete: foreign }] }))).code, 3);
    assert.equal((await failure(collected(client.batchGetDocuments({ database, documents: [foreign] })))).code, 3);
    assert.equal((await failure(client.createDocument({ parent: root, collectionId: 'a/b', document: {} }))).code, 3);
    assert.equal((await failure(client.createDocument({ parent: root, collectionId: '', document: {} }))).code, 3);
    assert.equal((await failure(client.listDocuments({ parent: 'nowhere', collectionId: 'a' }))).code, 3);
  });
});

function collected<T = unknown>(stream: NodeJS.ReadableStream): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const all: T[] = [];
    stream.on('data', (one: T) => all.push(one));
    stream.on('end', () => resolve(all));
    stream.on('error', reject);
  });
}

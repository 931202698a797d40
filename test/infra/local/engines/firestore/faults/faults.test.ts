import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { RpcError, status } from '../../../../../../infra/local/engines/firestore/base/types.ts';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../../../../infra/local/engines/firestore/proto/codecs.ts';
import { seed } from '../../../../../../infra/local/engines/firestore/seed/seed-documents.ts';
import { RawGrpc } from '../../../../../harness/firestore/raw-grpc.ts';

const database = 'projects/p1/databases/(default)';
const root = `${database}/documents`;

describe('faults on demand', () => {
  let server: Firestore;
  let client: RawGrpc;
  beforeAll(async () => {
    server = await startFirestore();
    client = new RawGrpc(server.url);
    await seed(server.databases, { name: { projectId: 'p1', databaseId: '(default)' }, count: 300 });
  });
  afterEach(() => {
    server.faults.clear();
    server.faults.resetCalls();
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  const get = async (project = 'p1', path = 'users/u0') => {
    const name = `projects/${project}/databases/(default)/documents/${path}`;
    return (await client.call('GetDocument', [proto.GetDocumentRequest.encode({ name })])).status;
  };
  const scan = () =>
    client.call('RunQuery', [
      proto.RunQueryRequest.encode({ parent: root, structuredQuery: { from: [{ allDescendants: true }] } }),
    ]);
  const write = (path: string) => proto.Write.encode({ update: proto.Document.encode({ name: `${root}/${path}` }) });
  const admin = (method: string, path: string, body?: unknown) =>
    fetch(`${server.url}/admin${path}`, body === undefined ? { method } : { method, body: JSON.stringify(body) });

  it('fail the n-th call of a method, as often as requested, and no other', async () => {
    server.faults.add({ method: 'GetDocument', call: 2, times: 2, status: 'ABORTED', message: 'try again' });
    assert.equal((await scan()).status, 0);
    assert.deepEqual([await get(), await get(), await get(), await get()], [0, status.ABORTED, status.ABORTED, 0]);
    assert.deepEqual(
      server.faults.list().map(({ matched, done }) => ({ matched, done })),
      [{ matched: 4, done: true }],
    );
  });

  it('apply to one project or one path only', async () => {
    server.faults.add({ project: 'p2', times: 9, status: 'UNAVAILABLE' });
    server.faults.add({ contains: 'users/u1', times: 9, status: 'INTERNAL' });
    assert.equal(await get('p2'), status.UNAVAILABLE);
    assert.equal(await get('p1', 'users/u1'), status.INTERNAL);
    assert.equal(await get('p1', 'users/u0'), 0);
  });

  it('end a stream early, with an error or with OK', async () => {
    const whole = (await scan()).messages;
    assert.equal(whole.length, 300);
    server.faults.add({ method: 'RunQuery', end: { afterMessages: 7, status: 'UNAVAILABLE' } });
    server.faults.add({ method: 'RunQuery', call: 2, end: { afterMessages: 150 } });
    server.faults.add({ method: 'RunQuery', call: 3, end: { afterMessages: 0 } });
    const broken = await scan();
    assert.equal(broken.status, status.UNAVAILABLE);
    assert.deepEqual(
      broken.messages.map((m) => proto.RunQueryResponse.decode(m).document),
      whole.slice(0, 7).map((m) => proto.RunQueryResponse.decode(m).document),
    );
    const short = await scan();
    assert.deepEqual([short.status, short.messages.length], [0, 150]);
    const empty = await scan();
    assert.deepEqual([empty.status, empty.messages.length], [0, 0]);
    assert.equal((await scan()).messages.length, 300);
  });

  it('delay a call until the client cancels', async () => {
    server.faults.add({ method: 'GetDocument', times: 2, delayMs: 120 });
    const started = performance.now();
    assert.equal(await get(), 0);
    assert.ok(performance.now() - started >= 115);
    const name = `${root}/users/u0`;
    const impatient = await client.call('GetDocument', [proto.GetDocumentRequest.encode({ name })], { 'grpc-timeout': '20m' });
    assert.equal(impatient.status, status.DEADLINE_EXCEEDED);
  });

  it('slow down a stream', async () => {
    server.faults.add({ method: 'RunQuery', pauseMs: 5, end: { afterMessages: 20 } });
    const started = performance.now();
    assert.equal((await scan()).messages.length, 20);
    assert.ok(performance.now() - started >= 95);
  });

  it('lose the response of a commit that happened', async () => {
    server.faults.add({ method: 'Commit', status: 'UNAVAILABLE', when: 'after' });
    const answer = await client.call('Commit', [proto.CommitRequest.encode({ database, writes: [write('lost/answer')] })]);
    assert.equal(answer.status, status.UNAVAILABLE);
    assert.equal(await get('p1', 'lost/answer'), 0);
  });

  it('revoke and restore the credentials of one project', async () => {
    server.faults.revoke('p1', 'UNAUTHENTICATED');
    assert.equal(await get(), status.UNAUTHENTICATED);
    server.faults.revoke('p1', 'PERMISSION_DENIED');
    assert.equal(await get(), status.PERMISSION_DENIED);
    assert.equal((await scan()).status, status.PERMISSION_DENIED);
    assert.equal(await get('p2'), status.NOT_FOUND);
    server.faults.restore('p1');
    assert.equal(await get(), 0);
  });

  it('reject writes above the quota, each with its own status in a BatchWrite', async () => {
    server.faults.limitWrites('p1', 10);
    const writes = Array.from({ length: 15 }, (_, i) => write(`quota/d${i}`));
    const batch = await client.call('BatchWrite', [proto.BatchWriteRequest.encode({ database, writes })]);
    const { status: statuses, writeResults } = proto.BatchWriteResponse.decode(batch.messages[0]!);
    assert.deepEqual(
      statuses.map(({ code }) => code),
      [...Array(10).fill(0), ...Array(5).fill(status.RESOURCE_EXHAUSTED)],
    );
    assert.equal(writeResults.length, 15);
    const commit = await client.call('Commit', [proto.CommitRequest.encode({ database, writes: writes.slice(0, 5) })]);
    assert.equal(commit.status, status.RESOURCE_EXHAUSTED);
    assert.equal(await get('p1', 'quota/d9'), 0);
    assert.equal(await get('p1', 'quota/d10'), status.NOT_FOUND);
  });

  it('expire snapshots', async () => {
    const readTime = { seconds: BigInt(Math.floor(Date.now() / 1000)), nanos: 0 };
    const request = proto.GetDocumentRequest.encode({ name: `${root}/users/u0`, readTime });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const time = { ...readTime, seconds: readTime.seconds + 1n };
    const now = proto.GetDocumentRequest.encode({ name: `${root}/users/u0`, readTime: time });
    assert.equal((await client.call('GetDocument', [now])).status, 0);
    assert.equal((await admin('POST', '/expire-snapshots', { project: 'p1' })).status, 200);
    const late = await client.call('GetDocument', [request]);
    assert.equal(late.status, status.FAILED_PRECONDITION);
    assert.equal(late.message, 'The requested snapshot version is too old.');
  });

  it('count calls', async () => {
    await get();
    await get();
    await scan();
    assert.deepEqual(await (await admin('GET', '/calls')).json(), { calls: { GetDocument: 2, RunQuery: 1 } });
    await admin('DELETE', '/calls');
    assert.deepEqual(server.faults.calls, {});
  });

  it('are controlled over HTTP', async () => {
    const { id } = (await (await admin('POST', '/faults', { method: 'GetDocument', status: 'INTERNAL', times: 5 })).json()) as {
      id: number;
    };
    assert.equal(await get(), status.INTERNAL);
    const { faults } = (await (await admin('GET', '/faults')).json()) as { faults: { id: number }[] };
    assert.deepEqual(
      faults.map((fault) => fault.id),
      [id],
    );
    await admin('DELETE', `/faults/${id}`);
    assert.equal(await get(), 0);
    await admin('POST', '/revoke', { project: 'p1', status: 'UNAUTHENTICATED' });
    assert.equal(await get(), status.UNAUTHENTICATED);
    await admin('POST', '/revoke', { project: 'p1', status: null });
    await admin('POST', '/write-limit', { project: 'p1', perSecond: 1 });
    const two = proto.CommitRequest.encode({ database, writes: [write('q/1')] });
    assert.equal((await client.call('Commit', [two])).status, 0);
    assert.equal((await client.call('Commit', [two])).status, status.RESOURCE_EXHAUSTED);
    await admin('DELETE', '/faults');
    assert.equal((await client.call('Commit', [two])).status, 0);
    assert.equal((await admin('POST', '/faults', { status: 'NO_SUCH' })).status, 400);
    assert.equal((await admin('POST', '/faults', { unknown: 1 })).status, 400);
    assert.equal((await admin('GET', '/nothing')).status, 404);
  });

  it('call the authorizer for every request', async () => {
    const asked: unknown[] = [];
    const checked = await startFirestore({
      authorize: (token, project, method) => {
        asked.push([token, project, method]);
        if (token !== 'good') throw new RpcError('UNAUTHENTICATED', 'no');
      },
    });
    const raw = new RawGrpc(checked.url);
    const request = proto.GetDocumentRequest.encode({ name: `${root}/a/b` });
    assert.equal((await raw.call('GetDocument', [request], { authorization: 'Bearer good' })).status, status.NOT_FOUND);
    assert.equal((await raw.call('GetDocument', [request], { authorization: 'Bearer bad' })).status, status.UNAUTHENTICATED);
    assert.equal((await raw.call('GetDocument', [request], { authorization: 'Basic xx' })).status, status.UNAUTHENTICATED);
    assert.deepEqual(asked, [
      ['good', 'p1', 'GetDocument'],
      ['bad', 'p1', 'GetDocument'],
    ]);
    raw.close();
    await checked.stop();
  });
});

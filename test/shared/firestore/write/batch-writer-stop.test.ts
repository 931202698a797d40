/** A write job ends early: denied access, a revoked grant, or a stop. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { RpcError } from '../../../../infra/local/engines/firestore/base/types.ts';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { documentOf, integer, startTarget } from '../../../harness/faults/faulty-target.ts';
import { name, startServer } from '../../../harness/firestore/firestore-server.ts';
import { failing, pathsOf, put, whoIs, writerTo } from '../../../harness/firestore/writer-env.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

test('batch writer: denied access ends the job at once as TARGET_PERMISSION_DENIED', async (t) => {
  server.faults.revoke(name.projectId);
  const revoked = writerTo(t, { url: server.url }).writer;
  await put(revoked, { paths: pathsOf('denied', 30), mode: 'overwrite' });
  await rejects(revoked.end(), failing('TARGET_PERMISSION_DENIED'));
  equal(server.faults.calls.BatchWrite, 1);
  equal(revoked.tally.open, 30);
  const strict = await startServer({ createOnUse: false });
  t.onTestFinished(() => strict.stop());
  const missing = writerTo(t, { url: strict.url }).writer;
  await put(missing, { paths: pathsOf('denied', 3), mode: 'overwrite' });
  await rejects(missing.end(), failing('TARGET_PERMISSION_DENIED'));
  equal(strict.faults.calls.BatchWrite, 1);
});

test('batch writer: a denied write of a request ends the job, and the other writes count', async (t) => {
  const target = await startTarget(t, (path) => (path === 'rules/4' ? { status: 'PERMISSION_DENIED' } : undefined));
  const { writer } = writerTo(t, { url: target.url });
  await put(writer, { paths: pathsOf('rules', 10), mode: 'overwrite' });
  await rejects(writer.end(), failing('TARGET_PERMISSION_DENIED'));
  deepEqual([writer.tally.written, writer.tally.open], [9, 1]);
});

test('batch writer: an expired token is replaced once; a second rejection or a revoked grant ends the job', async (t) => {
  let valid = 'first';
  const guarded = await startServer({
    authorize: (token) => {
      if (token !== valid) throw new RpcError('UNAUTHENTICATED', 'no');
    },
  });
  t.onTestFinished(() => guarded.stop());
  let given = 'first';
  const token = async ({ refresh }: { refresh: boolean }) => {
    if (refresh) given = 'second';
    return given;
  };
  const { writer } = writerTo(t, { url: guarded.url, options: {}, source: { token } });
  await put(writer, { paths: pathsOf('token', 5), mode: 'overwrite' });
  await writer.flush();
  valid = 'second';
  await put(writer, { paths: pathsOf('token2', 5), mode: 'overwrite' });
  equal((await writer.end()).written, 10);
  valid = 'third';
  const refused = writerTo(t, { url: guarded.url, options: {}, source: { token } }).writer;
  await put(refused, { paths: pathsOf('token3', 5), mode: 'overwrite' });
  await rejects(refused.end(), failing('TARGET_PERMISSION_DENIED'));
  const gone = writerTo(t, {
    url: guarded.url,
    options: {},
    source: {
      token: async () => {
        throw new SourceError('SOURCE_AUTH_ERROR', 'The connection was revoked.');
      },
    },
  }).writer;
  await put(gone, { paths: pathsOf('token4', 5), mode: 'overwrite' });
  await rejects(gone.end(), failing('TARGET_PERMISSION_DENIED'));
});

test('batch writer: after a stop nothing is sent, responses in flight count, and the rest is open', async (t) => {
  const controller = new AbortController();
  const { writer } = writerTo(t, {
    url: server.url,
    options: { signal: controller.signal, limit: { writes: 10 }, requestsAtOnce: 2 },
  });
  server.faults.add({ method: 'BatchWrite', delayMs: 60, times: 1_000 });
  await put(writer, { paths: pathsOf('stop', 35), mode: 'overwrite' });
  const ending = writer.end();
  controller.abort();
  await rejects(ending, failing('CANCELLED'));
  const { given, written, open } = writer.tally;
  deepEqual([given, written + open], [35, 35]);
  ok(written <= 20);
  equal(pathsOf('stop', 35).filter((path) => whoIs(server, path) === 'ours').length, written);
  throws(() => writer.delete('stop/1'), failing('CANCELLED'));
});

test('batch writer: a stop during back-off or before the start takes effect at once', async (t) => {
  const aborted = writerTo(t, { url: server.url, options: { signal: AbortSignal.abort() } }).writer;
  throws(() => aborted.put(documentOf('a/b', {}), 'overwrite'), failing('CANCELLED'));
  await rejects(aborted.end(), failing('CANCELLED'));
  server.faults.add({ method: 'BatchWrite', status: 'RESOURCE_EXHAUSTED', times: 1_000 });
  const stop = new AbortController();
  const { writer } = writerTo(t, { url: server.url, options: { signal: stop.signal }, source: { sleep: undefined as never } });
  await put(writer, { paths: pathsOf('resting', 20), mode: 'overwrite' });
  setTimeout(() => stop.abort(), 80);
  await rejects(writer.end(), failing('CANCELLED'));
  equal(writer.tally.open, 20);
});

test('batch writer: the number of open writes is bounded', async (t) => {
  server.faults.add({ method: 'BatchWrite', delayMs: 5, times: 1_000 });
  const { writer } = writerTo(t, { url: server.url, options: { limit: { writes: 10 }, requestsAtOnce: 3 } });
  let most = 0;
  for (const path of pathsOf('room', 500)) {
    await writer.put(documentOf(path, { n: integer(1) }), 'overwrite');
    most = Math.max(most, writer.tally.open);
  }
  equal((await writer.end()).written, 500);
  ok(most <= 2 * 3 * 10, String(most));
});

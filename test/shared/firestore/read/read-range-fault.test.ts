/** Whatever fails in transit, no document is lost or duplicated, or the read fails with the right code. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { RpcError } from '../../../../infra/local/engines/firestore/base/types.ts';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { planRanges, probeSource, SourceError, type SourceErrorCode, verifyCount } from '../../../../shared/firestore/index.ts';
import { startCutter } from '../../../harness/faults/connection-cutter.ts';
import { contents, name, sourceOf, startServer, take, write } from '../../../harness/firestore/firestore-server.ts';

const paths = Array.from({ length: 24 }, (_, i) => (i % 3 === 2 ? `c/${i}/gone/x/d/${i}` : `c/${i}`));
const failing =
  (code: SourceErrorCode, isTransient = false) =>
  (error: unknown) => {
    ok(error instanceof SourceError, String(error));
    equal(error.code, code);
    equal(error.isTransient, isTransient);
    return true;
  };

let server: Firestore;
let expected: readonly (readonly [string, string])[];
beforeAll(async () => {
  server = await startServer();
  await write(server, { paths, letters: 300 });
  expected = contents(server);
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

const passing = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'ABORTED', 'UNKNOWN', 'RESOURCE_EXHAUSTED'] as const;
for (const status of passing)
  test(`readRange: a stream that breaks with ${status} after any message resumes after the last document`, async () => {
    const source = sourceOf(server.url);
    const { readTime } = await probeSource(source);
    for (let afterMessages = 0; afterMessages <= paths.length; afterMessages++) {
      server.faults.resetCalls();
      server.faults.add({ method: 'RunQuery', end: { afterMessages, status } });
      const { documents, reader } = await take(source, { readTime, range: {}, options: { batchBytes: 700 } });
      server.faults.clear();
      deepEqual(documents, expected);
      equal(reader.resumes, 1);
      equal(reader.reads, expected.length);
      equal(server.faults.calls.RunQuery, 2);
    }
    source.close();
  });

test('verifyCount: detects a stream that ends early with OK', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await probeSource(source);
  for (const afterMessages of [0, 1, 13, paths.length - 1]) {
    server.faults.add({ method: 'RunQuery', end: { afterMessages } });
    const { reader } = await take(source, { readTime });
    server.faults.clear();
    equal(reader.documents, afterMessages);
    const { documents: read, collections } = reader;
    const count = verifyCount(source, { range: {}, readTime, read, collectionIds: collections.keys() });
    await rejects(count, failing('COUNT_MISMATCH'));
  }
  deepEqual(await verifyCount(source, { range: {}, readTime, read: paths.length }), { countVerified: true, reads: 1 });
  source.close();
});

test('readRange: a connection lost after any number of bytes is replaced', async () => {
  const cutter = await startCutter(server.port);
  const source = sourceOf(cutter.url);
  const { readTime } = await probeSource(source);
  let resumes = 0;
  for (let bytes = 0; bytes < 12_000; bytes += 307) {
    cutter.cutAfter(bytes);
    const { documents, reader } = await take(source, { readTime, range: {}, options: { batchBytes: 700 } });
    deepEqual(documents, expected);
    resumes += reader.resumes;
  }
  ok(resumes > 20, `${resumes} resumes`);
  source.close();
  await cutter.close();
});

test('readRange: continues after a restart of the server', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'reader-'));
  let own = await startServer({ dir });
  const { port } = own;
  await write(own, { paths: Array.from({ length: 3_000 }, (_, i) => `c/${i}`), letters: 1_000 });
  const all = contents(own);
  const source = sourceOf(own.url, { sleep: () => new Promise((done) => setTimeout(done, 50)) });
  const { readTime } = await probeSource(source);
  let isFirst = true;
  const onBatch = async () => {
    if (!isFirst) return;
    isFirst = false;
    await own.stop();
    own = await startServer({ dir, port });
  };
  const { documents, reader } = await take(source, { readTime, range: {}, options: { batchBytes: 50_000, onBatch } });
  deepEqual(documents, all);
  ok(reader.resumes >= 1);
  source.close();
  await own.stop();
  rmSync(dir, { recursive: true });
});

test('readRange: endless failures stop after the maximum attempts with growing delays; progress resets the count', async () => {
  const source = sourceOf(server.url, { retryPolicy: { attempts: 5 } });
  const { readTime } = await probeSource(source);
  server.faults.add({ method: 'RunQuery', times: 100, status: 'UNAVAILABLE' });
  await rejects(take(source, { readTime }), failing('INTERNAL_ERROR', true));
  equal(server.faults.calls.RunQuery, 5);
  deepEqual(source.delays, [75, 150, 300, 600]);
  server.faults.clear();
  server.faults.add({ method: 'RunQuery', times: 20, end: { afterMessages: 1, status: 'UNAVAILABLE' } });
  deepEqual((await take(source, { readTime })).documents, expected);
  source.close();
});

test('readRange: an exhausted quota backs off for longer', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await probeSource(source);
  server.faults.add({ method: 'RunQuery', times: 3, status: 'RESOURCE_EXHAUSTED' });
  deepEqual((await take(source, { readTime })).documents, expected);
  deepEqual(source.delays, [750, 1_500, 3_000]);
  source.close();
});

test('readRange: a silent stream is cancelled and resumed', async () => {
  const source = sourceOf(server.url, { retryPolicy: { silenceMs: 150 } });
  const { readTime } = await probeSource(source);
  server.faults.add({ method: 'RunQuery', delayMs: 60_000 });
  const { documents, reader } = await take(source, { readTime });
  deepEqual(documents, expected);
  equal(reader.resumes, 1);
  source.close();
});

test('readRange: denied access fails at once as SOURCE_AUTH_ERROR', async () => {
  for (const status of ['PERMISSION_DENIED', 'NOT_FOUND', 'FAILED_PRECONDITION'] as const) {
    server.faults.clear();
    const source = sourceOf(server.url);
    const { readTime } = await probeSource(source);
    server.faults.add({ method: 'RunQuery', call: 1, times: 9, end: { afterMessages: 3, status } });
    server.faults.resetCalls();
    await rejects(take(source, { readTime }), failing('SOURCE_AUTH_ERROR'));
    equal(server.faults.calls.RunQuery, 1);
    server.faults.revoke(name.projectId);
    await rejects(planRanges(source), failing('SOURCE_AUTH_ERROR'));
    source.close();
  }
  const strict = await startServer({ createOnUse: false });
  const source = sourceOf(strict.url);
  await rejects(planRanges(source), failing('SOURCE_AUTH_ERROR'));
  source.close();
  await strict.stop();
});

test('readRange: an invalid request is an internal error and is not retried', async () => {
  const source = sourceOf(server.url);
  const { readTime } = await probeSource(source);
  server.faults.add({ method: 'RunQuery', status: 'INVALID_ARGUMENT' });
  await rejects(take(source, { readTime }), failing('INTERNAL_ERROR'));
  source.close();
});

test('readRange: an expired token is replaced once; if the new one is rejected too, the grant was revoked', async () => {
  let valid = 'first';
  const guarded = await startServer({
    authorize: (token) => {
      if (token !== valid) throw new RpcError('UNAUTHENTICATED', 'no');
    },
  });
  await write(guarded, { paths, letters: 300 });
  const refreshes: boolean[] = [];
  let given = 'first';
  const token = async ({ refresh }: { refresh: boolean }) => {
    refreshes.push(refresh);
    if (refresh) given = 'second';
    return given;
  };
  const source = sourceOf(guarded.url, { token });
  const { readTime } = await probeSource(source);
  valid = 'second';
  equal((await take(source, { readTime })).documents.length, paths.length);
  deepEqual(refreshes, [false, false, true]);
  valid = 'third';
  refreshes.length = 0;
  await rejects(take(source, { readTime }), failing('SOURCE_AUTH_ERROR'));
  deepEqual(refreshes, [false, true]);
  source.close();
  await guarded.stop();
});

test('readRange: a revoked grant fails at once; an unavailable token supplier is retried', async () => {
  let calls = 0;
  const gone = sourceOf(server.url, {
    token: async () => {
      calls += 1;
      throw new SourceError('SOURCE_AUTH_ERROR', 'The connection was revoked.');
    },
  });
  await rejects(probeSource(gone), failing('SOURCE_AUTH_ERROR'));
  equal(calls, 1);
  const flaky = sourceOf(server.url, {
    token: async () => {
      calls += 1;
      if (calls < 4) throw new Error('503');
      return 'owner';
    },
  });
  await probeSource(flaky);
  equal(calls, 4);
  gone.close();
  flaky.close();
});

test('readRange: an expired snapshot fails as SNAPSHOT_EXPIRED, at the start and later', async () => {
  const own = await startServer();
  await write(own, { paths: Array.from({ length: 12_000 }, (_, i) => `c/${i}`), letters: 1_000 });
  const source = sourceOf(own.url);
  const { readTime } = await probeSource(source);
  const onBatch = () => own.databases.open(name).expireSnapshots();
  await rejects(take(source, { readTime, range: {}, options: { onBatch, batchBytes: 10_000 } }), failing('SNAPSHOT_EXPIRED'));
  await rejects(take(source, { readTime }), failing('SNAPSHOT_EXPIRED'));
  await rejects(verifyCount(source, { range: {}, readTime, read: 1 }), failing('SNAPSHOT_EXPIRED'));
  deepEqual(source.delays, []);
  source.close();
  await own.stop();
});

test('readRange: a cancelled read ends at once in any state', async () => {
  const source = sourceOf(server.url, { sleep: undefined as never });
  const { readTime } = await probeSource(source);
  await rejects(take(source, { readTime, range: {}, options: { signal: AbortSignal.abort() } }), failing('CANCELLED'));
  for (const fault of [{ delayMs: 60_000 }, { pauseMs: 60_000 }, { status: 'RESOURCE_EXHAUSTED', times: 9 }] as const) {
    server.faults.clear();
    server.faults.add({ method: 'RunQuery', ...fault });
    const started = performance.now();
    await rejects(take(source, { readTime, range: {}, options: { signal: AbortSignal.timeout(60) } }), failing('CANCELLED'));
    ok(performance.now() - started < 50_000, 'before the fault has passed');
  }
  server.faults.clear();
  const controller = new AbortController();
  const reading = take(source, {
    readTime,
    range: {},
    options: { batchBytes: 700, signal: controller.signal, onBatch: () => controller.abort() },
  });
  await rejects(reading, failing('CANCELLED'));
  source.close();
});

/** Whatever the target responds, the outcome of every write is known. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { documentOf, startTarget, text } from '../../../harness/faults/faulty-target.ts';
import { name, startServer } from '../../../harness/firestore/firestore-server.ts';
import { answer, raw, startScripted } from '../../../harness/firestore/scripted-server.ts';
import { failing, pathsOf, put, writerTo } from '../../../harness/firestore/writer-env.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

test('batch writer: classifies every write by its own status and repeats none needlessly', async (t) => {
  const target = await startTarget(t, (path, attempt) => {
    const n = Number(path.split('/')[1]);
    if (n % 20 === 3) return { status: 'INVALID_ARGUMENT', message: 'no such thing' };
    if (n % 20 === 5) return { status: 'OUT_OF_RANGE' };
    const passing = ['ABORTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'RESOURCE_EXHAUSTED', 'UNKNOWN'] as const;
    const status = passing[(n % 20) - 10];
    return status && attempt <= (n % 3) + 1 ? { status } : undefined;
  });
  const { writer } = writerTo(t, { url: target.url });
  await put(writer, { paths: pathsOf('mixed', 200), mode: 'overwrite' });
  const tally = await writer.end();
  deepEqual([tally.given, tally.written, tally.skipped, tally.failed], [200, 180, 0, 20]);
  deepEqual(
    tally.failures.filter(({ code }) => code === 'INVALID_ARGUMENT').map(({ path, message }) => `${path} ${message}`),
    pathsOf('mixed', 200).flatMap((path, n) => (n % 20 === 3 ? [`${path} no such thing`] : [])),
  );
  for (const [path, attempts] of target.attempts) {
    const n = Number(path.split('/')[1]);
    equal(attempts, n % 20 >= 10 && n % 20 < 16 ? (n % 3) + 2 : 1, path);
  }
});

test('batch writer: only a write that never succeeds fails, after the maximum attempts and with its last status', async (t) => {
  const target = await startTarget(t, (path) => (path === 'hot/7' ? { status: 'ABORTED', message: 'contention' } : undefined));
  const { writer, source } = writerTo(t, { url: target.url, options: {}, source: { retryPolicy: { attempts: 4 } } });
  await put(writer, { paths: pathsOf('hot', 50), mode: 'overwrite' });
  const tally = await writer.end();
  deepEqual(tally.failures, [{ path: 'hot/7', code: 'ABORTED', message: 'contention' }]);
  deepEqual([tally.written, target.attempts.get('hot/7'), target.attempts.get('hot/8')], [49, 4, 1]);
  deepEqual(source.delays, [75, 150, 300]);
});

test('batch writer: an unresponsive target ends the job after the maximum attempts; unknown writes stay open', async (t) => {
  const { writer, source } = writerTo(t, {
    url: server.url,
    options: { limit: { writes: 10 } },
    source: { retryPolicy: { attempts: 5 } },
  });
  await put(writer, { paths: pathsOf('away', 10), mode: 'overwrite' });
  await writer.flush();
  server.faults.add({ method: 'BatchWrite', times: 10_000, status: 'UNAVAILABLE' });
  await put(writer, { paths: pathsOf('away', 20).slice(10), mode: 'overwrite' });
  await rejects(writer.end(), failing('INTERNAL_ERROR', true));
  const { given, written, open } = writer.tally;
  deepEqual([given, written, open], [20, 10, 10]);
  throws(() => writer.put(documentOf('away/30', {}), 'overwrite'), failing('INTERNAL_ERROR', true));
  ok(source.delays.includes(75) && source.delays.includes(600));
});

for (const [count, status] of [
  [120, 'INTERNAL'],
  [120, 'DEADLINE_EXCEEDED'],
  [4, 'UNAVAILABLE'],
  [1, 'INTERNAL'],
] as const)
  test(`batch writer: one of ${count} documents that always gets ${status} is the only failure`, async (t) => {
    const collection = `trip-${count}-${status}`;
    server.faults.add({ method: 'BatchWrite', times: 10_000, status, contains: `${collection}/0\u0012` });
    const { writer } = writerTo(t, { url: server.url });
    await put(writer, { paths: pathsOf(collection, count), mode: 'overwrite' });
    const tally = await writer.end();
    deepEqual([tally.written, tally.failed], [count - 1, 1]);
    deepEqual(tally.failures, [{ path: `${collection}/0`, code: status, message: 'Injected fault.' }]);
  });

test('batch writer: an oversized request is split into tenths and written completely', async (t) => {
  const { writer } = writerTo(t, { url: server.url, options: { limit: { bytes: 40 << 20 } } });
  const large = 'x'.repeat(900_000);
  for (const path of pathsOf('tenth', 14)) await writer.put(documentOf(path, { a: text(large) }), 'overwrite');
  equal((await writer.end()).written, 14);
  // The oversized request is not counted.
  equal(server.faults.calls.BatchWrite, 7);
});

test('batch writer: backs off from an exhausted target with growing delays, and nothing fails', async (t) => {
  const target = await startTarget(t, (_, attempt) => (attempt <= 14 ? { status: 'RESOURCE_EXHAUSTED' } : undefined));
  const { writer, source } = writerTo(t, { url: target.url });
  await put(writer, { paths: pathsOf('quota', 20), mode: 'overwrite' });
  equal((await writer.end()).written, 20);
  const rested = source.delays.reduce((sum, ms) => sum + ms, 0);
  ok(rested > 5 * 60_000, `${rested} ms`);
  deepEqual(source.delays.slice(0, 4), [750, 1_500, 3_000, 6_000]);
});

test('batch writer: 15 minutes without quota end the job as a transient WRITE_QUOTA_EXCEEDED', async (t) => {
  const target = await startTarget(t, (_, attempt) => (attempt > 0 ? { status: 'RESOURCE_EXHAUSTED' } : undefined));
  const { writer, source } = writerTo(t, { url: target.url });
  await put(writer, { paths: pathsOf('none', 20), mode: 'overwrite' });
  await rejects(writer.end(), failing('WRITE_QUOTA_EXCEEDED', true));
  equal(writer.tally.open, 20);
  ok(source.delays.reduce((sum, ms) => sum + ms, 0) > 14 * 60_000);
});

test('batch writer: a quota for part of every request eventually lets all documents through', async (t) => {
  server.faults.limitWrites(name.projectId, 2_000);
  const sleep = () => new Promise<void>((done) => setTimeout(done, 20));
  const { writer } = writerTo(t, { url: server.url, options: {}, source: { sleep } });
  await put(writer, { paths: pathsOf('part', 3_000), mode: 'skip_existing' });
  const { written, failed } = await writer.end();
  deepEqual([written, failed], [3_000, 0]);
});

test('batch writer: a response that is invalid or lacks a status counts as lost', async (t) => {
  const fine = Buffer.from([0x12, 0]);
  const framed = (message: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  const scripted = await startScripted(
    raw(framed(Buffer.alloc(0))),
    raw(framed(Buffer.concat([fine, fine]))),
    raw(framed(Buffer.from([0x12, 9]))),
    raw(framed(fine).subarray(0, 6)),
    raw(Buffer.alloc(0)),
    answer([], null),
    raw(framed(fine)),
  );
  t.onTestFinished(() => scripted.close());
  const { writer } = writerTo(t, { url: scripted.url });
  await put(writer, { paths: ['few/1'], mode: 'overwrite' });
  equal((await writer.end()).written, 1);
  equal(scripted.calls(), 7);
});

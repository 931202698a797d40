/** Lookups by name: every name has a result, whatever fails in transit. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, type TestContext, test } from 'vitest';
import { frame } from '../../../../infra/local/engines/firestore/grpc/frames.ts';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { getDocuments, probeSource, SourceError, type SourceOptions } from '../../../../shared/firestore/index.ts';
import { getWithin } from '../../../../shared/firestore/read/get-documents.ts';
import { startCutter } from '../../../harness/faults/connection-cutter.ts';
import { awkward, contents, root, sourceOf, startServer, write } from '../../../harness/firestore/firestore-server.ts';
import { raw, startScripted } from '../../../harness/firestore/scripted-server.ts';

let server: Firestore;
const many = Array.from({ length: 700 }, (_, n) => `many/${n}`);
beforeAll(async () => {
  server = await startServer();
  await write(server, { paths: [...awkward, ...many] });
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

const { signal } = new AbortController();
const sourceIn = (t: TestContext, url = server.url, options: Partial<SourceOptions> = {}) => {
  const source = sourceOf(url, options);
  t.onTestFinished(() => source.close());
  return source;
};
const hex = (found: ReadonlyMap<string, Uint8Array>) =>
  [...found].map(([path, bytes]) => [path, Buffer.from(bytes).toString('hex')] as const).sort();

test('getDocuments: returns existing documents by path, byte for byte, and omits missing ones', async (t) => {
  const found = await getDocuments(sourceIn(t), [...awkward, 'a/nobody', 'gone/1'], { signal });
  deepEqual(
    hex(found),
    contents(server)
      .filter(([path]) => awkward.includes(path))
      .toSorted(),
  );
  deepEqual(await getDocuments(sourceIn(t), [], { signal }), new Map());
});

test('getDocuments: sends at most 300 names per request, duplicates once', async (t) => {
  equal((await getDocuments(sourceIn(t), [...many, 'many/1'], { signal })).size, 700);
  equal(server.faults.calls.BatchGetDocuments, 3);
  const { reads } = await getWithin(sourceIn(t), ['many/1', 'many/1', 'many/none'], { signal, maxBytes: 1e9 });
  equal(reads, 2);
});

test('getDocuments: reads at the given time', async (t) => {
  await write(server, { paths: ['time/1'], letters: 3, text: 'a' });
  const source = sourceIn(t);
  const { readTime } = await probeSource(source);
  const earlier = contents(server).find(([path]) => path === 'time/1');
  await write(server, { paths: ['time/1', 'time/2'], letters: 3, text: 'b' });
  deepEqual(hex(await getDocuments(source, ['time/1', 'time/2'], { readTime, signal })), [earlier]);
  equal((await getDocuments(source, ['time/1', 'time/2'], { signal })).size, 2);
});

test('getDocuments: retries transient failures, with a longer back-off for an exhausted quota', async (t) => {
  const source = sourceIn(t);
  for (const status of ['UNAVAILABLE', 'INTERNAL', 'RESOURCE_EXHAUSTED', 'UNAUTHENTICATED'] as const) {
    server.faults.add({ method: 'BatchGetDocuments', status, times: 1 });
    equal((await getDocuments(source, many.slice(0, 10), { signal })).size, 10, status);
  }
  equal(server.faults.calls.BatchGetDocuments, 8);
  equal(source.delays.length, 3);
});

test('getDocuments: a connection lost within the response still yields every document once', async (t) => {
  const cutter = await startCutter(Number(new URL(server.url).port));
  t.onTestFinished(() => cutter.close());
  const source = sourceIn(t, cutter.url);
  await probeSource(source);
  for (const bytes of [1, 500, 5_000, 20_000]) {
    cutter.cutAfter(bytes);
    equal((await getDocuments(source, many.slice(0, 300), { signal })).size, 300);
  }
});

test('getDocuments: a response without a result for a document does not count as missing', async (t) => {
  const found = (path: string) =>
    proto.BatchGetDocumentsResponse.encode({ found: proto.Document.encode({ name: `${root}/${path}`, fields: new Map() }) });
  const missing = (path: string) => proto.BatchGetDocumentsResponse.encode({ missing: `${root}/${path}` });
  const scripted = await startScripted(
    raw(frame([found('a/1')])),
    raw(frame([found('a/1'), missing('a/2')]).subarray(0, -2)),
    raw(frame([missing('a/2'), found('a/1')])),
  );
  t.onTestFinished(() => scripted.close());
  deepEqual([...(await getDocuments(sourceIn(t, scripted.url), ['a/1', 'a/2'], { signal })).keys()], ['a/1']);
  equal(scripted.calls(), 3);
});

test('getDocuments: denied access fails at once, and a signal cancels', async (t) => {
  server.faults.add({ method: 'BatchGetDocuments', status: 'PERMISSION_DENIED', times: 1 });
  const code = (wanted: string) => (error: unknown) => error instanceof SourceError && error.code === wanted;
  await rejects(getDocuments(sourceIn(t), ['a/x'], { signal }), code('SOURCE_AUTH_ERROR'));
  equal(server.faults.calls.BatchGetDocuments, 1);
  await rejects(getDocuments(sourceIn(t), ['a/x'], { signal: AbortSignal.abort() }), code('CANCELLED'));
});

test('getWithin: stops receiving a response that exceeds the limit', async (t) => {
  const large = Array.from({ length: 40 }, (_, n) => `large/${n}`);
  await write(server, { paths: large, letters: 500_000 });
  const source = sourceIn(t);
  const much = await getWithin(source, large, { signal, maxBytes: 2 << 20 });
  equal(much.documents, undefined);
  ok(much.reads < 20, `${much.reads}`);
  const little = await getWithin(source, large.slice(0, 3), { signal, maxBytes: 2 << 20 });
  deepEqual([little.documents?.size, little.reads], [3, 3]);
});

/** The client against an independent gRPC server. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelOptions, Metadata, status } from '@grpc/grpc-js';
import { type TestContext, test } from 'vitest';
import {
  BatchWriter,
  countRange,
  getDocuments,
  listCollections,
  probeSource,
  type SourceOptions,
  verifyCount,
} from '../../../../shared/firestore/index.ts';
import { splitPoints } from '../../../../shared/firestore/read/probe-source.ts';
import { documentOf, text } from '../../../harness/faults/faulty-target.ts';
import { sourceOf, take } from '../../../harness/firestore/firestore-server.ts';
import { GrpcJsFirestore } from '../../../harness/firestore/grpc-js-firestore.ts';
import { ListenLog } from '../../../harness/firestore/listen-log.ts';
import { until } from '../../../harness/time/virtual-timers.ts';

const start = async (t: TestContext, channel: ChannelOptions = {}, options: Partial<SourceOptions> = {}) => {
  const server = await GrpcJsFirestore.start(channel);
  const source = sourceOf(server.url, options);
  t.onTestFinished(() => {
    source.close();
    server.stop();
  });
  return { server, source };
};

const numbered = (count: number, letters = 100): [string, object][] =>
  Array.from({ length: count }, (_, n) => [
    n % 3 === 0 ? `a/${String(n).padStart(6, '0')}` : `a/${String(n - (n % 3)).padStart(6, '0')}/b/${n % 3}`,
    { text: { stringValue: 'x'.repeat(letters) }, n: { integerValue: n } },
  ]);

test('grpc-js server: reads, counts, look-ups, listings and split points are those of the collection', async (t) => {
  const { server, source } = await start(t);
  server.write(numbered(500));
  const { readTime } = await probeSource(source);
  equal(readTime, server.readTime);
  const contents = server.contents();
  server.write([['a/000000', undefined]]);
  const { documents } = await take(source, { readTime });
  deepEqual(documents, contents);
  deepEqual(await verifyCount(source, { range: {}, readTime, read: 500 }), { countVerified: true, reads: 1 });
  deepEqual(await listCollections(source, { parent: source.root, readTime }), ['a']);
  deepEqual((await splitPoints(source, { collectionId: undefined, points: 3, readTime })).length, 3);
  const signal = new AbortController().signal;
  const found = await getDocuments(source, ['a/000003', 'a/none'], { readTime, signal });
  deepEqual([...found.keys()], ['a/000003']);
});

test('grpc-js server: a read that outlives several connections gives every document once, in order', async (t) => {
  const { server, source } = await start(t, { 'grpc.max_connection_age_ms': 100, 'grpc.max_connection_age_grace_ms': 40 });
  server.write(numbered(1_200, 1_000));
  const { readTime } = await probeSource(source);
  const contents = server.contents();
  server.hooks.beforeMessage = (sent) => (sent % 20 === 0 ? pause(10) : undefined);
  const { documents, reader } = await take(source, { readTime, range: {}, options: { batchBytes: 16 << 10 } });
  deepEqual(documents, contents);
  ok(reader.resumes > 0, 'no stream was cut');
  ok(server.peers.size > 1, 'no connection was replaced');
  equal(source.connections.size <= 2, true);
});

test('grpc-js server: a stream in flight at the GOAWAY finishes there, and new calls use a new connection', async (t) => {
  const { server, source } = await start(t);
  server.write(numbered(200, 1_000));
  const { readTime } = await probeSource(source);
  server.hooks.beforeMessage = async (sent) => {
    if (sent !== 100) return;
    server.drain(60_000);
    // Answered beside the stream that is paused here.
    equal((await countRange(source, { range: {}, readTime })).documents, 200);
  };
  const { documents, reader } = await take(source, { readTime });
  deepEqual(documents, server.contents());
  equal(reader.resumes, 0);
  equal(server.peers.size, 2);
  await until(() => source.connections.size === 1, 'the old connection closes');
});

test('grpc-js server: a Listen stream that is cut by the connection age resumes with its token', async (t) => {
  const { server, source } = await start(t, { 'grpc.max_connection_age_ms': 60, 'grpc.max_connection_age_grace_ms': 5 });
  const leaving = new AbortController();
  const log = new ListenLog(source, { group: 'b', readTime: server.readTime, signal: leaving.signal });
  const following = log.follow().catch((error: unknown) => error);
  const written: string[] = [];
  for (let n = 0; n < 150 || log.failures.length < 3; n++) {
    server.write([[`a/1/b/${n}`, { n: { integerValue: n } }]]);
    written.push(`a/1/b/${n}`);
    if (n % 10 === 9) {
      server.write([[`a/1/b/${n - 5}`, undefined]]);
      written.push(`a/1/b/${n - 5} gone`);
    }
    await pause(3);
  }
  const pathsOf = (paths: readonly string[]) => new Set(paths.map((path) => path.replace(' gone', '')));
  await until(() => pathsOf(log.heard).size === pathsOf(written).size, 'all changes are heard');
  // A stream that resumes reports what it missed in an order of its own.
  await until(() => log.heard.includes(written.at(-1) ?? ''), 'the last change is heard');
  leaving.abort();
  await following;
  // A document written and deleted between two streams is only reported as deleted.
  deepEqual(pathsOf(log.heard), pathsOf(written));
  deepEqual(
    log.heard.filter((path, n) => log.heard.indexOf(path) !== n),
    [],
    'heard twice',
  );
  deepEqual(log.heard.filter((path) => path.endsWith('gone')).sort(), written.filter((path) => path.endsWith('gone')).sort());
  ok(server.peers.size > 3, `${server.peers.size} connections`);
  await until(() => source.connections.size <= 1, 'old connections close');
});

test('grpc-js server: 250 parallel reads complete where a connection takes 100 streams', async (t) => {
  const { server, source } = await start(t, { 'grpc.max_concurrent_streams': 100 });
  server.write(numbered(20));
  const { readTime } = await probeSource(source);
  const contents = server.contents();
  let waiting = 0;
  let release = (): void => {};
  const all = new Promise<void>((done) => {
    release = done;
  });
  server.hooks.beforeMessage = (sent) => {
    if (sent > 0) return undefined;
    waiting += 1;
    // No read ends before all have started: none may wait for another.
    if (waiting === 250) release();
    return all;
  };
  const reads = await Promise.all(Array.from({ length: 250 }, () => take(source, { readTime })));
  for (const { documents, reader } of reads) {
    deepEqual(documents, contents);
    equal(reader.resumes, 0);
  }
  equal(server.peers.size, 3);
  await until(() => source.connections.size === 1, 'connections of the burst close');
});

test('grpc-js server: a burst on a new connection respects a limit that is below the usual one', async (t) => {
  const { server, source } = await start(t, { 'grpc.max_concurrent_streams': 7 });
  server.write(numbered(20));
  const { readTime } = server;
  const reads = await Promise.all(Array.from({ length: 30 }, () => take(source, { readTime })));
  for (const { reader } of reads) equal(reader.resumes, 0);
  equal(server.calls.get('RunQuery'), 30);
});

test('grpc-js server: messages of many DATA frames come whole, also through small batches', async (t) => {
  const { server, source } = await start(t);
  server.write([
    ['a/1', { text: { stringValue: 'x'.repeat(6 << 20) } }],
    ['a/2', { text: { stringValue: 'y' } }],
    ['a/3', { text: { stringValue: 'z'.repeat(5 << 20) } }],
  ]);
  const { documents } = await take(source, { readTime: server.readTime, range: {}, options: { batchBytes: 4_096 } });
  ok(documents.map(([path]) => path).join() === 'a/1,a/2,a/3');
  ok(JSON.stringify(documents) === JSON.stringify(server.contents()));
});

test('grpc-js server: a slow consumer holds the server back and loses nothing', async (t) => {
  const { server, source } = await start(t);
  server.write(numbered(600, 20_000));
  const contents = server.contents();
  let sent = 0;
  server.hooks.beforeMessage = (n) => {
    sent = n;
  };
  let held = 0;
  let batches = 0;
  const { documents, reader } = await take(source, {
    readTime: server.readTime,
    range: {},
    options: {
      onBatch: async () => {
        batches += 1;
        if (batches !== 1) return;
        await pause(150);
        held = sent;
      },
    },
  });
  // A window of 4 MiB is about 210 documents; the buffers of the server hold some more.
  ok(held < 450, `${held} documents sent ahead`);
  ok(JSON.stringify(documents) === JSON.stringify(contents));
  equal(reader.resumes, 0);
});

test('grpc-js server: statuses in trailers and Trailers-Only responses are classified by code, with their message', async (t) => {
  const { server, source } = await start(t, {}, { retryPolicy: { attempts: 3 } });
  server.write(numbered(10));
  const { readTime } = server;
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.alloc(6_000, 7));
  const details = 'Missing permission: „firestore.read“ 100 %';
  server.hooks.refuse = () => ({ code: status.PERMISSION_DENIED, details, metadata });
  await rejects(take(source, { readTime }), { code: 'SOURCE_AUTH_ERROR', message: new RegExp(details) });
  await rejects(listCollections(source, { parent: source.root, readTime }), {
    code: 'SOURCE_AUTH_ERROR',
    message: new RegExp(details),
  });
  for (const code of [status.DEADLINE_EXCEEDED, status.UNAVAILABLE, status.INTERNAL, status.CANCELLED, status.UNKNOWN]) {
    let refusals = 0;
    server.hooks.refuse = () => (refusals++ < 2 ? { code, details: 'passing' } : undefined);
    equal((await take(source, { readTime })).documents.length, 10);
    equal(refusals, 3);
    server.hooks.refuse = () => ({ code, details: 'not passing' });
    await rejects(probeSource(source), { code: 'INTERNAL_ERROR', isTransient: true });
  }
});

test('grpc-js server: a silent call ends with DEADLINE_EXCEEDED and is retried', async (t) => {
  const { server, source } = await start(t, {}, { retryPolicy: { silenceMs: 100 } });
  server.write(numbered(40));
  let isHeld = true;
  server.hooks.beforeMessage = (sent) => {
    if (sent !== 20 || !isHeld) return undefined;
    isHeld = false;
    return pause(5_000, undefined, { ref: false });
  };
  const { documents, reader } = await take(source, { readTime: server.readTime });
  deepEqual(documents, server.contents());
  equal(reader.resumes, 1);
});

test('grpc-js server: a rejected token is replaced, and the read continues', async (t) => {
  const tokens: boolean[] = [];
  const token = async ({ refresh }: { refresh: boolean }) => {
    tokens.push(refresh);
    return refresh ? 'new' : 'old';
  };
  const { server, source } = await start(t, {}, { token });
  server.write(numbered(10));
  server.hooks.refuse = (_method, { metadata }) =>
    metadata.get('authorization')[0] === 'Bearer new' ? undefined : { code: status.UNAUTHENTICATED, details: 'expired' };
  equal((await take(source, { readTime: server.readTime })).documents.length, 10);
  deepEqual(tokens, [false, true]);
});

test('grpc-js server: writes arrive, and a request beyond its 4 MiB is split instead of retried', async (t) => {
  const { server, source } = await start(t);
  const writer = new BatchWriter(source);
  for (let n = 0; n < 12; n++) await writer.put(documentOf(`a/${n}`, { text: text('x'.repeat(900_000)) }), 'overwrite');
  await writer.put(documentOf('a/0', { text: text('later') }), 'skip_existing');
  const { written, skipped, failed } = await writer.end();
  deepEqual({ written, skipped, failed }, { written: 12, skipped: 1, failed: 0 });
  equal(server.paths().length, 12);
  deepEqual(source.delays, []);
});

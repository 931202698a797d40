/** Pings of silent connections, unresponsive peers, and servers that request calm. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { constants } from 'node:http2';
import { type TestContext, test } from 'vitest';
import { Keepalive } from '../../../../shared/firestore/grpc/keepalive.ts';
import type { SourceOptions } from '../../../../shared/firestore/index.ts';
import { startBlackHole } from '../../../harness/faults/black-hole.ts';
import { sourceOf, take } from '../../../harness/firestore/firestore-server.ts';
import { GrpcJsFirestore } from '../../../harness/firestore/grpc-js-firestore.ts';
import { ListenLog } from '../../../harness/firestore/listen-log.ts';
import { type Answer, answer, startScripted } from '../../../harness/firestore/scripted-server.ts';
import { until, VirtualTimers } from '../../../harness/time/virtual-timers.ts';

const readTime = '2025-01-31T08:00:00.123456Z';
/** A timeout that no other timer uses, which identifies pings. */
const keepalive = { intervalMs: 30_000, timeoutMs: 19_999 };
/** One event-loop tick, in which a keepalive decides. */
const turn = () => new Promise((done) => setImmediate(done));

const watched = () => {
  const timers = new VirtualTimers();
  const acknowledgements: ((error: Error | null) => void)[] = [];
  let losses = 0;
  const peer = {
    ping: (acknowledged: (error: Error | null) => void) => acknowledgements.push(acknowledged) > 0,
    lost: () => {
      losses += 1;
    },
  };
  const pings = () => acknowledgements.length;
  const acknowledge = () => acknowledgements.at(-1)?.(null);
  return { timers, pings, acknowledge, losses: () => losses, keeping: new Keepalive(peer, keepalive, timers) };
};

test('keepalive: an idle connection is not pinged and holds no timer', () => {
  const { timers, pings, keeping } = watched();
  timers.advance(3_600_000);
  equal(pings(), 0);
  keeping.start();
  keeping.stop();
  timers.advance(3_600_000);
  equal(pings(), 0);
  equal(timers.pending.size, 0);
});

test('keepalive: a connection with streams is pinged after the interval of silence, and data defers the ping', () => {
  const { timers, pings, acknowledge, keeping } = watched();
  keeping.start();
  timers.advance(29_000);
  keeping.received();
  timers.advance(29_000);
  equal(pings(), 0);
  timers.advance(1_000);
  equal(pings(), 1);
  acknowledge();
  timers.advance(29_999);
  equal(pings(), 1);
  timers.advance(1);
  equal(pings(), 2);
  deepEqual(
    [...timers.pending].map(({ isRefed }) => isRefed),
    [false],
  );
});

test('keepalive: a connection that was idle for longer than the interval is pinged with its first stream', () => {
  const { timers, pings, keeping } = watched();
  timers.advance(60_000);
  keeping.start();
  timers.advance(0);
  equal(pings(), 1);
});

test('keepalive: a ping without acknowledgement ends the connection, data instead of it does not', async () => {
  const { timers, losses, pings, keeping } = watched();
  keeping.start();
  timers.advance(30_000);
  timers.advance(10_000);
  keeping.received();
  timers.advance(10_000);
  await turn();
  equal(losses(), 0);
  timers.advance(30_000);
  equal(pings(), 2);
  timers.advance(20_000);
  await turn();
  equal(losses(), 1);
});

test('keepalive: an acknowledgement that waits in the socket while the process was suspended counts', async () => {
  const { timers, losses, acknowledge, keeping } = watched();
  keeping.start();
  timers.advance(30_000);
  timers.advance(600_000);
  acknowledge();
  await turn();
  equal(losses(), 0);
});

const pingedOf = (timers: VirtualTimers): number => timers.counts.get(keepalive.timeoutMs) ?? 0;
const isUnacknowledged = (timers: VirtualTimers): boolean =>
  [...timers.pending].some(({ delayMs }) => delayMs === keepalive.timeoutMs);

const connectMs = 10_000;
/** Advances time by the second until a second connection is opened; data in flight arrives in between. */
const passUntilReconnect = async (timers: VirtualTimers): Promise<void> => {
  const endMs = timers.now() + 3_600_000;
  while (timers.counts.get(connectMs) === 1 && timers.now() < endMs) {
    timers.advance(1_000);
    await turn();
  }
};

const start = async (t: TestContext, options: Partial<SourceOptions> = {}) => {
  const server = await GrpcJsFirestore.start();
  const proxy = await startBlackHole(server.port);
  const timers = new VirtualTimers();
  const source = sourceOf(proxy.url, { keepalive, timers, ...options });
  t.onTestFinished(async () => {
    source.close();
    server.stop();
    await proxy.close();
  });
  return { server, proxy, timers, source };
};

const numbered = (count: number): [string, object][] =>
  Array.from({ length: count }, (_, n) => [`a/${String(n).padStart(4, '0')}`, { text: { stringValue: 'x'.repeat(500) } }]);

test('keepalive: a grpc-js server acknowledges pings for as long as a query takes', async (t) => {
  const { server, timers, source } = await start(t, { retryPolicy: { silenceMs: 3_600_000 } });
  server.write(numbered(20));
  server.hooks.beforeMessage = async (sent) => {
    if (sent !== 10) return;
    for (let n = 0; n < 20; n++) {
      timers.advance(30_000);
      await until(() => !isUnacknowledged(timers), 'the ping is acknowledged');
    }
  };
  const { documents, reader } = await take(source, { readTime: server.readTime });
  deepEqual(documents, server.contents());
  equal(reader.resumes, 0);
  ok(pingedOf(timers) >= 19, `${pingedOf(timers)} pings`);
  equal(timers.pending.size, 0);
});

test('keepalive: a read whose peer stops answering resumes on a new connection after interval and timeout', async (t) => {
  const { server, proxy, timers, source } = await start(t);
  server.write(numbered(400));
  let isCut = false;
  server.hooks.beforeMessage = async (sent) => {
    if (sent !== 200 || isCut) return;
    isCut = true;
    proxy.swallow();
    const sinceMs = timers.now();
    await passUntilReconnect(timers);
    ok(timers.now() - sinceMs >= keepalive.intervalMs + keepalive.timeoutMs - 1_000, 'given up too early');
  };
  const { documents, reader } = await take(source, { readTime: server.readTime, range: {}, options: { batchBytes: 8_192 } });
  deepEqual(documents, server.contents());
  equal(reader.resumes, 1);
  equal(proxy.opened(), 2);
});

test('keepalive: a Listen stream whose peer stops answering fails as UNAVAILABLE and resumes without loss', async (t) => {
  const { server, proxy, timers, source } = await start(t);
  const leaving = new AbortController();
  const log = new ListenLog(source, { group: 'b', readTime: server.readTime, signal: leaving.signal });
  const following = log.follow().catch((error: unknown) => error);
  server.write([['a/1/b/1', {}]]);
  await until(() => log.heard.length === 1, 'the first change is heard');
  proxy.swallow();
  server.write([['a/1/b/2', {}]]);
  await passUntilReconnect(timers);
  await until(() => log.heard.length === 2, 'the second change is heard');
  server.write([['a/1/b/3', {}]]);
  await until(() => log.heard.length === 3, 'the third change is heard');
  deepEqual(log.heard, ['a/1/b/1', 'a/1/b/2', 'a/1/b/3']);
  deepEqual(
    log.failures.map((error) => (error as { status?: string }).status),
    ['UNAVAILABLE'],
  );
  leaving.abort();
  await following;
});

/** Sends GOAWAY with this code and reason in the middle of the response. */
const goodbye =
  (code: number, words: string): Answer =>
  (stream, session) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    session.goaway(code, 0x7fff_ffff, Buffer.from(words));
  };

test('keepalive: ENHANCE_YOUR_CALM is answered by the longer back-off and a new connection', async (t) => {
  const calm = goodbye(constants.NGHTTP2_ENHANCE_YOUR_CALM, 'excessive load');
  const server = await startScripted(calm, calm, answer(['a/1']));
  const source = sourceOf(server.url);
  t.onTestFinished(async () => {
    source.close();
    await server.close();
  });
  const { documents, reader } = await take(source, { readTime });
  deepEqual(
    documents.map(([path]) => path),
    ['a/1'],
  );
  equal(reader.resumes, 2);
  equal(server.connections(), 3);
  // Back-off of an exhausted quota: 1 s and 2 s, minus a random half.
  deepEqual(source.delays, [750, 1_500]);
  equal(source.connections.keepaliveIntervalMs, 30_000);
});

test('keepalive: a stream that is reset with ENHANCE_YOUR_CALM keeps its connection and backs off for longer', async (t) => {
  const server = await startScripted((stream) => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM), answer(['a/1']));
  const source = sourceOf(server.url);
  t.onTestFinished(async () => {
    source.close();
    await server.close();
  });
  equal((await take(source, { readTime })).documents.length, 1);
  equal(server.connections(), 1);
  deepEqual(source.delays, [750]);
});

test('keepalive: too_many_pings doubles the interval each time', async (t) => {
  const pings = goodbye(constants.NGHTTP2_ENHANCE_YOUR_CALM, 'too_many_pings');
  const server = await startScripted(pings, pings, answer(['a/1']));
  const source = sourceOf(server.url);
  t.onTestFinished(async () => {
    source.close();
    await server.close();
  });
  equal((await take(source, { readTime })).documents.length, 1);
  equal(source.connections.keepaliveIntervalMs, 120_000);
  deepEqual(source.delays, [75, 150]);
});

test('keepalive: many streams that lose one connection share one new connection', async (t) => {
  const { server, proxy, timers, source } = await start(t);
  server.write(numbered(30));
  let held = 0;
  server.hooks.beforeMessage = (sent) => {
    if (sent !== 0 || proxy.opened() > 1) return undefined;
    held += 1;
    if (held < 40) return until(() => proxy.opened() > 1, 'a new connection is opened');
    proxy.swallow();
    return passUntilReconnect(timers);
  };
  const reads = await Promise.all(Array.from({ length: 40 }, () => take(source, { readTime: server.readTime })));
  for (const { documents } of reads) deepEqual(documents, server.contents());
  equal(proxy.opened(), 2);
});

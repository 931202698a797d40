import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type TestContext, test } from 'vitest';
import { makePoster } from '../../../../shared/platform/http/post-guarded.ts';
import { type PostOutcome, postGuarded, type ResolveHostname } from '../../../../shared/platform/index.ts';
import { type Answer, certificate, startReceiver } from '../../../harness/stage/receiver.ts';

/** Short only where a timeout is expected. */
const timeoutMs = 300;
const plentyMs = 20_000;
const post = async (url: string, patienceMs = plentyMs): Promise<Omit<PostOutcome, 'durationMs'>> => {
  const { durationMs, ...outcome } = await postGuarded({
    url,
    headers: {},
    body: '{}',
    timeoutMs: patienceMs,
    trusted: ['localhost'],
  });
  if (outcome.kind === 'failed' && outcome.reason === 'timeout') ok(durationMs >= patienceMs - 1);
  return outcome;
};
const failed = (reason: string) => ({ kind: 'failed', reason });
const answered = (status: number) => ({ kind: 'answered', status, retryAfter: undefined });

/** A server that writes to the bare socket. */
const listen = async (t: TestContext, server: Server): Promise<string> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, 'localhost');
  await once(server, 'listening');
  t.onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}/`;
};
const speak = (t: TestContext, say: (socket: Socket) => void): Promise<string> =>
  listen(
    t,
    createTlsServer(certificate('localhost'), (socket) => say(socket.on('error', () => {}))),
  );

const short = gzipSync(Buffer.alloc(2_000_000));
const long = gzipSync(Buffer.alloc(50_000_000));
const answers: readonly (readonly [what: string, answer: Answer, outcome: object])[] = [
  ['never answers', 'hang', failed('timeout')],
  ['sends headers and then nothing', 'headers', failed('timeout')],
  ['drips its body', 'drip', failed('timeout')],
  ['answers after the time is over', { delayMs: timeoutMs * 2 }, failed('timeout')],
  ['closes without an answer', 'close', failed('unreachable')],
  ['resets without an answer', 'reset', failed('unreachable')],
  ['unpacks to 2 MB', { headers: { 'content-encoding': 'gzip' }, body: short }, answered(200)],
  ['unpacks to 50 MB', { headers: { 'content-encoding': 'gzip' }, body: long }, answered(200)],
  ['sends more than is read', { status: 500, body: 'x'.repeat(100_000) }, answered(500)],
  ['stops in the middle of its body', { raw: 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc' }, failed('protocol')],
  ['has headers without end', { headers: { 'x-long': 'x'.repeat(20_000) } }, failed('protocol')],
  ['has a status that is none', { raw: 'HTTP/1.1 banana\r\n\r\n' }, failed('protocol')],
  ['speaks another protocol', { raw: '220 mail.example.com ESMTP\r\n' }, failed('protocol')],
  ['says two lengths', { raw: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab' }, failed('protocol')],
  ['sends chunks that are none', { raw: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n' }, failed('protocol')],
  ['switches protocols', { raw: 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n' }, failed('protocol')],
  ['answers ahead of its answer', { raw: 'HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 204 OK\r\n\r\n' }, answered(204)],
  ['says no length and closes', { raw: 'HTTP/1.0 200 OK\r\n\r\nfine' }, answered(200)],
];
test('postGuarded: whatever a receiver does, the call ends in time with the right outcome', async (t) => {
  const receiver = await startReceiver();
  t.onTestFinished(receiver.stop);
  await Promise.all(
    answers.map(async ([what, answer, outcome], n) => {
      receiver.answer(`/${n}`, answer);
      const isSlow = 'reason' in outcome && outcome.reason === 'timeout';
      deepEqual(await post(receiver.url(`/${n}`), isSlow ? timeoutMs : plentyMs), outcome, what);
    }),
  );
});

test('postGuarded: of a body of 1 GB only the buffered part is read', async (t) => {
  const receiver = await startReceiver({ answer: { endless: 1_073_741_824 } });
  t.onTestFinished(receiver.stop);
  for (const _ of [1, 2, 3]) deepEqual(await post(receiver.url()), answered(200));
  // The buffers of two sockets: each call ended its connection.
  ok(receiver.count.endlessBytes < 3 * 16_777_216, String(receiver.count.endlessBytes));
  equal(receiver.count.connections, 3);
});

test('postGuarded: endless headers or chunks do not extend the timeout', async (t) => {
  const drips = [
    ['HTTP/1.1 200 OK\r\nX-Drip: ', 'x'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
  ] as const;
  await Promise.all(
    drips.map(async ([start, drop]) => {
      const url = await speak(t, (socket) => {
        socket.write(start);
        const dripping = setInterval(() => socket.write(drop), 20);
        socket.once('close', () => clearInterval(dripping));
      });
      deepEqual(await post(url, timeoutMs), failed('timeout'), drop);
    }),
  );
});

test('postGuarded: a flood of interim responses is cut off before the timeout', async (t) => {
  const url = await speak(t, (socket) => {
    const dripping = setInterval(() => socket.write('HTTP/1.1 103 Early\r\n\r\n'), 1);
    socket.once('close', () => clearInterval(dripping));
  });
  deepEqual(await post(url, 60_000), failed('protocol'));
});

for (const name of ['expired', 'other-name', 'self-signed'])
  test(`postGuarded: nothing is sent to a receiver whose certificate is ${name}, and the reason is certificate`, async (t) => {
    const receiver = await startReceiver({ certificate: name });
    t.onTestFinished(receiver.stop);
    for (const _ of [1, 2]) deepEqual(await post(receiver.url()), failed('certificate'));
    equal(receiver.requests.length, 0);
    equal(receiver.count.connections, 2);
  });

test('postGuarded: a blocked address is unreachable, whatever its certificate', async (t) => {
  const receiver = await startReceiver({ certificate: 'expired' });
  t.onTestFinished(receiver.stop);
  const { durationMs: _, ...outcome } = await postGuarded({
    url: receiver.url(),
    headers: {},
    body: '',
    timeoutMs: plentyMs,
    trusted: [],
  });
  deepEqual(outcome, failed('unreachable'));
  equal(receiver.count.connections, 0);
});

test('postGuarded: nothing is sent to a receiver with TLS 1.0 or 1.1 only', async (t) => {
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const tls = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const receiver = await startReceiver({ tls });
    t.onTestFinished(receiver.stop);
    deepEqual(await post(receiver.url()), failed('unreachable'));
    equal(receiver.requests.length, 0);
    equal(receiver.count.connections, 1);
  }
});

test('postGuarded: outcomes of receivers that are absent, insecure, silent or unknown', async (t) => {
  let heard = 0;
  const plain = await listen(
    t,
    createHttpServer((_, response) => {
      heard += 1;
      response.end();
    }),
  );
  deepEqual(await post(plain), failed('unreachable'));
  equal(heard, 0);
  deepEqual(await post(await listen(t, createNetServer()), timeoutMs), failed('timeout'), 'a handshake that never comes');
  const gone = await startReceiver();
  await gone.stop();
  deepEqual(await post(gone.url()), failed('unreachable'));
  deepEqual(await post('not an address'), failed('unreachable'));
});

test('postGuarded: an unknown name is unreachable', async () => {
  const unknown: ResolveHostname = (_name, _options, callback) => callback(Object.assign(new Error(), { code: 'ENOTFOUND' }), []);
  const { durationMs: _, ...outcome } = await makePoster(unknown)({
    ...{ url: 'https://example.com', headers: {}, body: '', timeoutMs: plentyMs, trusted: [] },
  });
  deepEqual(outcome, failed('unreachable'));
});

test('postGuarded: an endless lookup ends at the timeout', async () => {
  const never: ResolveHostname = () => {};
  const { durationMs: _, ...outcome } = await makePoster(never)({
    ...{ url: 'https://example.com', headers: {}, body: '', timeoutMs, trusted: [] },
  });
  deepEqual(outcome, failed('timeout'));
});

test('postGuarded: a request that cannot be sent is an outcome, not an exception', async () => {
  const { durationMs: _, ...outcome } = await postGuarded({
    ...{ url: 'https://localhost:1', headers: { 'X-A': 'b\r\nHost: c' }, body: '', timeoutMs, trusted: ['localhost'] },
  });
  deepEqual(outcome, failed('unreachable'));
});

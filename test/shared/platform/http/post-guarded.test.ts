import { deepEqual, equal, ok } from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { type TestContext, test } from 'vitest';
import { makePoster } from '../../../../shared/platform/http/post-guarded.ts';
import { type GuardedPost, type PostOutcome, postGuarded, type ResolveHostname } from '../../../../shared/platform/index.ts';
import { type Receiver, type ReceiverOptions, startReceiver } from '../../../harness/stage/receiver.ts';

const receive = async (t: TestContext, wish?: ReceiverOptions): Promise<Receiver> => {
  const receiver = await startReceiver(wish);
  t.onTestFinished(receiver.stop);
  return receiver;
};
const wish = (url: string, more: Partial<GuardedPost> = {}): GuardedPost => ({
  ...{ url, headers: { 'content-type': 'application/json' }, body: '{}', timeoutMs: 20_000, trusted: ['localhost'] },
  ...more,
});
const told = ({ durationMs, ...outcome }: PostOutcome) => {
  ok(Number.isInteger(durationMs) && durationMs >= 0);
  return outcome;
};
const answered = (status: number, retryAfter?: string) => ({ kind: 'answered', status, retryAfter });

test('postGuarded: the receiver gets exactly the given bytes', async (t) => {
  const receiver = await receive(t);
  const body = JSON.stringify({ text: 'ü 漢 😀 \u2028 </script> \0', number: 1e21 });
  const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': 'sha256=00', 'X-Empty': '' };
  const begunMs = performance.now();
  const outcome = await postGuarded(wish(receiver.url('/a/b?c=%20d&e'), { headers, body }));
  ok(outcome.durationMs <= Math.ceil(performance.now() - begunMs), `${outcome.durationMs} ms`);
  deepEqual(told(outcome), answered(200));
  const heard = await receiver.next();
  equal(heard.method, 'POST');
  equal(heard.path, '/a/b?c=%20d&e');
  equal(heard.body.toString('hex'), Buffer.from(body).toString('hex'));
  equal(heard.headers['content-length'], String(Buffer.byteLength(body)));
  equal(heard.headers.host, `localhost:${receiver.port}`);
  for (const [name, value] of Object.entries(headers)) equal(heard.rawHeaders[heard.rawHeaders.indexOf(name) + 1], value, name);
  equal(heard.headers['transfer-encoding'], undefined);
});

test('postGuarded: sequential calls reuse a connection', async (t) => {
  const receiver = await receive(t, { answer: { body: 'x'.repeat(4_096) } });
  for (let n = 0; n < 5; n++) await postGuarded(wish(receiver.url('/')));
  equal(receiver.requests.length, 5);
  equal(receiver.count.connections, 1);
});

test('postGuarded: concurrent calls do not wait for each other', async (t) => {
  const receiver = await receive(t, { answer: ({ path }) => (path === '/slow' ? 'hang' : { status: 204 }) });
  const slow = Array.from({ length: 20 }, () => postGuarded(wish(receiver.url('/slow'), { timeoutMs: 1_000 })));
  deepEqual(told(await postGuarded(wish(receiver.url('/quick')))), answered(204));
  for (const outcome of await Promise.all(slow)) deepEqual(told(outcome), { kind: 'failed', reason: 'timeout' });
});

for (const status of [200, 201, 204, 299, 400, 404, 410, 429, 500, 503, 599])
  test(`postGuarded: status ${status} is returned`, async (t) => {
    const receiver = await receive(t, { answer: { status, ...(status !== 204 && { body: 'secret of the receiver' }) } });
    deepEqual(told(await postGuarded(wish(receiver.url()))), answered(status));
  });

test('postGuarded: Retry-After is returned unchanged', async (t) => {
  const receiver = await receive(t);
  for (const value of ['120', 'Fri, 31 Dec 2100 23:59:59 GMT', 'garbage', '-1']) {
    receiver.answer('/', { status: 429, headers: { 'Retry-After': value } });
    deepEqual(told(await postGuarded(wish(receiver.url()))), answered(429, value));
  }
});

for (const status of [301, 302, 303, 307, 308])
  test(`postGuarded: a redirect with ${status} is not followed`, async (t) => {
    const [receiver, target] = [await receive(t), await receive(t)];
    const places = [target.url('/there'), '/there', 'https://169.254.169.254/latest', 'http://localhost:1', '//example.com'];
    for (const location of places) {
      receiver.answer('/here', { status, headers: { location } });
      deepEqual(told(await postGuarded(wish(receiver.url('/here')))), answered(status));
    }
    equal(target.count.connections, 0);
    deepEqual([...new Set(receiver.requests.map(({ path }) => path))], ['/here']);
  });

test('postGuarded: a call on a connection that was closed meanwhile is repeated once on a new one', async (t) => {
  const receiver = await receive(t);
  receiver.answer('/', { status: 200 }, 'reset', { status: 201 }, 'close', { status: 202 }, 'reset', 'reset', { status: 203 });
  const outcomes: unknown[] = [];
  for (let n = 0; n < 5; n++) {
    outcomes.push(told(await postGuarded(wish(receiver.url()))));
    // The fresh connection is not kept, so the next call needs a pooled one.
    receiver.answer('/warm', { status: 200 });
    await postGuarded(wish(receiver.url('/warm')));
  }
  deepEqual(outcomes, [answered(200), answered(201), answered(202), { kind: 'failed', reason: 'unreachable' }, answered(203)]);
});

test('postGuarded: a call is not repeated after the first byte of a response', async (t) => {
  const receiver = await receive(t);
  await postGuarded(wish(receiver.url('/warm')));
  receiver.answer('/', { raw: 'HTTP/1.1 2' });
  equal((await postGuarded(wish(receiver.url()))).kind, 'failed');
  equal(receiver.requests.length, 2);
  equal(receiver.count.connections, 1);
});

/** Names as a test defines them, and one address that counts as public. */
const scene = async (t: TestContext, ...answers: readonly (readonly string[])[]) => {
  const receiver = await receive(t);
  const { address: open } = await lookup('localhost');
  let asked = 0;
  const resolve: ResolveHostname = (_name, _options, callback) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address: address === 'open' ? open : address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  const post = makePoster(resolve, (address) => address === open);
  const send = async () => told(await post(wish(receiver.url(), { trusted: [] })));
  return { receiver, send, asked: () => asked };
};

test('postGuarded: the connection goes to the address that was checked, which is looked up once', async (t) => {
  const { receiver, send, asked } = await scene(t, ['open'], ['127.0.0.2']);
  deepEqual(await send(), answered(200));
  // The name resolves differently by now, but is not looked up while the connection is open.
  deepEqual(await send(), answered(200));
  equal(asked(), 1);
  equal(receiver.count.connections, 1);
});

for (const answer of [['10.0.0.5'], ['open', '10.0.0.5'], ['169.254.169.254', 'open'], ['open', '::1'], ['::ffff:127.0.0.1'], []])
  test(`postGuarded: a name that resolves to ${JSON.stringify(answer)} is not connected to`, async (t) => {
    const { receiver, send } = await scene(t, answer);
    deepEqual(await send(), { kind: 'failed', reason: 'unreachable' });
    equal(receiver.count.connections, 0);
  });

test('postGuarded: a name that resolves differently for a new connection is rejected then', async (t) => {
  const { receiver, send } = await scene(t, ['open'], ['169.254.169.254']);
  receiver.answer('/', { status: 200, headers: { connection: 'close' } });
  deepEqual(await send(), answered(200));
  deepEqual(await send(), { kind: 'failed', reason: 'unreachable' });
  equal(receiver.count.connections, 1);
});

test('postGuarded: the connection that replaces a stale one is looked up again', async (t) => {
  const { receiver, send } = await scene(t, ['open'], ['169.254.169.254']);
  receiver.answer('/', { status: 200 }, 'reset', { status: 200 });
  deepEqual(await send(), answered(200));
  deepEqual(await send(), { kind: 'failed', reason: 'unreachable' });
  equal(receiver.count.connections, 1);
});

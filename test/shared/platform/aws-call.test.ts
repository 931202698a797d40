import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { jsonCall } from '../../../shared/platform/aws-json.ts';

type Reply = (response: ServerResponse) => void;
const seen: IncomingHttpHeaders[] = [];
let replies: Reply[] = [];
const server = createServer((request, response) => {
  seen.push(request.headers);
  request.resume().once('end', () => (replies.shift() ?? fine)(response));
});
const told =
  (status: number, body: object | string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const fine = told(200, { Plaintext: 'x' });
const ask = () => jsonCall<object>('kms', 'Decrypt', {});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'TEST', AWS_SECRET_ACCESS_KEY: 'TEST' },
  });
});
beforeEach(() => {
  seen.length = 0;
  replies = [];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

for (const [what, reply] of [
  ['a fault of the service', told(500, { __type: 'InternalServerError' })],
  ['a balancer that has words of its own', told(503, '<html>busy</html>')],
  ['a connection that is cut', (response: ServerResponse) => void response.destroy()],
  [
    'an answer that ends early',
    (response: ServerResponse) => void response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
  ],
] as const)
  test(`${what} is asked again`, async () => {
    replies = [reply, reply];
    deepEqual(await ask(), { Plaintext: 'x' });
    equal(seen.length, 3);
  });

test('the third failure is thrown, and a refusal at once, by the name it has', async () => {
  replies = Array.from({ length: 3 }, () => told(500, { __type: 'com.amazonaws.kms#KMSInternalException', message: 'down' }));
  await rejects(ask(), { name: 'KMSInternalException', message: 'down', status: 500 });
  equal(seen.length, 3);
  replies = [told(400, { Message: 'no' }, { 'x-amzn-errortype': 'AccessDeniedException:http://internal.amazon.com/' })];
  await rejects(ask(), { name: 'AccessDeniedException', message: 'no' });
  equal(seen.length, 4);
});

test('a refusal does not list what the answer held: errors are logged', async () => {
  replies = [told(400, { __type: 'TransactionCanceledException', CancellationReasons: [{ Item: { secret: { S: 'canary' } } }] })];
  const error = await ask().catch((failure: unknown) => failure);
  ok(!JSON.stringify({ ...(error as object) }).includes('canary'));
});

test('the trace that we run in goes along', async () => {
  process.env._X_AMZN_TRACE_ID = 'Root=1-2-3;Sampled=1';
  await ask();
  delete process.env._X_AMZN_TRACE_ID;
  equal(seen[0]?.['x-amzn-trace-id'], 'Root=1-2-3;Sampled=1');
  ok(!seen[0]?.authorization?.includes('trace'));
});

test('a call whose time was wrong is signed at the time that AWS tells', async () => {
  const later = new Date(Date.now() + 3_600_000);
  replies = [told(400, { __type: 'InvalidSignatureException' }, { date: later.toUTCString() })];
  await ask();
  const [first, second] = seen.map((headers) => Number(String(headers['x-amz-date']).replace(/\D/g, '').slice(0, 12)));
  ok(second! > first!);
  replies = [told(400, { __type: 'InvalidSignatureException' }, { date: later.toUTCString() })];
  await rejects(ask(), { name: 'InvalidSignatureException' });
});

/** Failures of AWS calls against a server of the test: retries, timeouts and logs. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { openDataKey } from '../../../../shared/platform/aws/kms.ts';
import { callAws, callBudgetMs } from '../../../../shared/platform/aws-client/call-aws.ts';
import { tryLimits } from '../../../../shared/platform/aws-client/request-handler.ts';
import { sdkConfig } from '../../../../shared/platform/aws-client/sdk-config.ts';
import { commit, create, isTransientAwsError, log, putIfAbsent, secretValue } from '../../../../shared/platform/index.ts';
import { captureLog } from '../../../harness/aws/captured-log.ts';

type Reply = (response: ServerResponse) => void;
const seen: IncomingHttpHeaders[] = [];
let replies: Reply[] = [];
const server = createServer((request, response) => {
  seen.push(request.headers);
  request.resume().once('end', () => (replies.shift() ?? fine)(response));
});
const reply =
  (status: number, body: object | string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const fine = reply(200, { Plaintext: 'eA==' });
const silence: Reply = () => undefined;
const call = async () => (await openDataKey(Buffer.from('sealed'), {})).plain;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'KEY-ID',
    AWS_SECRET_ACCESS_KEY: 'canary-secret',
    AWS_SESSION_TOKEN: 'canary-token',
    TABLE_NAME: 'Table',
    SERVICE_SECRET_ID: 'secret',
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

for (const [what, failure] of [
  ['a server fault', reply(500, { __type: 'InternalServerError' })],
  ['a response that is not of the service', reply(503, '<html>busy</html>')],
  ['throttling', reply(400, { __type: 'ThrottlingException' })],
  ['a closed connection', (response: ServerResponse) => void response.destroy()],
  [
    'a response that ends early',
    (response: ServerResponse) => void response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
  ],
] as const)
  test(`callAws: ${what} is retried twice`, async () => {
    replies = [failure, failure];
    deepEqual(await call(), Buffer.from('x'));
    equal(seen.length, 3);
  });

test('callAws: the third failure is thrown, a rejection at once, each with its name', async () => {
  replies = Array.from({ length: 3 }, () => reply(500, { __type: 'com.amazonaws.kms#KMSInternalException', message: 'down' }));
  await rejects(
    call(),
    (error: Error) => error.name === 'KMSInternalException' && error.message === 'down' && isTransientAwsError(error),
  );
  equal(seen.length, 3);
  replies = [reply(400, { Message: 'no' }, { 'x-amzn-errortype': 'AccessDeniedException:http://internal.amazon.com/' })];
  await rejects(
    call(),
    (error: Error) => error.name === 'AccessDeniedException' && error.message === 'no' && !isTransientAwsError(error),
  );
  equal(seen.length, 4);
});

test('callAws: an attempt without a response, with a stalled body or with only interim responses ends at the request timeout', async () => {
  const client = new KMSClient({ ...sdkConfig, maxAttempts: 1 });
  const stalls: Reply = (response) => void response.writeHead(200, { 'content-length': 9 }).write('{');
  const putsOff: Reply = (response) => {
    const timer = setInterval(() => response.writeProcessing(), 500);
    response.once('close', () => clearInterval(timer));
  };
  for (const failure of [silence, stalls, putsOff]) {
    replies = [failure];
    const startedMs = performance.now();
    const command = new DecryptCommand({ CiphertextBlob: Buffer.from('x') });
    await rejects(
      callAws((options) => client.send(command, options)),
      (error: Error) => error.name === 'TimeoutError' && isTransientAwsError(error),
    );
    const tookMs = performance.now() - startedMs;
    ok(tookMs >= tryLimits.requestMs - 50 && tookMs < callBudgetMs, `${tookMs} ms`);
  }
});

test('callAws: a call that exceeds its budget ends with a TimeoutError, which is transient', async () => {
  const client = new KMSClient(sdkConfig);
  replies = [silence];
  const command = new DecryptCommand({ CiphertextBlob: Buffer.from('x') });
  await rejects(
    callAws((options) => client.send(command, options), 1_000),
    (error: Error) => error.name === 'TimeoutError' && isTransientAwsError(error),
  );
  equal(seen.length, 1);
});

test('callAws: a logged error contains no item, body, header or credential', async () => {
  const item = { secret: { S: 'canary' } };
  const headers = { 'x-canary': 'canary' };
  const captured = captureLog();
  try {
    for (const [failures, work] of [
      [
        [reply(400, { __type: 'TransactionCanceledException', CancellationReasons: [{ Code: 'X', Item: item }] }, headers)],
        () => commit([create({ pk: 'A', sk: 'A', secret: 'canary' })]),
      ],
      [
        [reply(500, { Item: item }, headers), reply(400, { __type: 'ConditionalCheckFailedException', Item: item }, headers)],
        () => putIfAbsent({ pk: 'A', sk: 'A', secret: 'canary' }),
      ],
      [
        [reply(503, 'canary', headers), reply(400, { __type: 'ConditionalCheckFailedException' })],
        () => putIfAbsent({ pk: 'A', sk: 'A' }),
      ],
      [[reply(200, 'canary', headers)], call],
      [[reply(200, '{"SecretString":"canary', headers)], () => secretValue('SERVICE_SECRET_ID')],
      [[reply(400, { __type: 'NotFoundException', message: 'no', Plaintext: 'canary' }, headers)], call],
    ] as const) {
      replies = [...failures];
      const error = await work().then(
        () => undefined,
        (failure: Error) => failure,
      );
      ok(error, 'the call fails');
      log.error('failed', error);
      log.error('failed', { error });
      ok(!JSON.stringify({ ...error }).includes('canary'));
    }
  } finally {
    captured.stop();
  }
  equal(captured.lines.length, 12);
  for (const line of captured.lines) ok(!JSON.stringify(line).includes('canary'), JSON.stringify(line));
});

test('callAws: in Lambda the trace id of the run is sent and not signed', async () => {
  Object.assign(process.env, { AWS_LAMBDA_FUNCTION_NAME: 'fn', _X_AMZN_TRACE_ID: 'Root=1-2-3;Sampled=1' });
  await call();
  delete process.env.AWS_LAMBDA_FUNCTION_NAME;
  delete process.env._X_AMZN_TRACE_ID;
  equal(seen[0]?.['x-amzn-trace-id'], 'Root=1-2-3;Sampled=1');
  ok(!seen[0]?.authorization?.includes('trace'));
});

test('sdkConfig: requests are signed with the credentials of the environment', async () => {
  await call();
  ok(seen[0]?.authorization?.includes('Credential=KEY-ID/'));
  equal(seen[0]?.['x-amz-security-token'], 'canary-token');
});

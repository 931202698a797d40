import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type TestContext, test } from 'vitest';
import type { QueueMessage } from '../../../../infra/local/engines/fauxqs/fauxqs-engine.ts';
import { openLambdaAsyncInvoke } from '../../../../infra/local/engines/lambda-async-invoke.ts';
import { account, region, resource } from '../../../harness/aws/embedded-aws.ts';

const fn = `arn:aws:lambda:${region}:${account}:function:work`;
const dead = `arn:aws:sqs:${region}:${account}:dead`;
const config = (retries: number) =>
  resource('AWS::Lambda::EventInvokeConfig', {
    name: 'config',
    properties: {
      FunctionName: 'work',
      Qualifier: '$LATEST',
      MaximumRetryAttempts: retries,
      DestinationConfig: { OnFailure: { Destination: dead } },
    },
  });

const start = (t: TestContext, run: (attempt: number) => unknown) => {
  const sent: QueueMessage[] = [];
  const permitted: string[][] = [];
  let attempts = 0;
  // One minute takes 6 ms.
  const engine = openLambdaAsyncInvoke({
    invoke: async () => run(++attempts),
    send: (message) => void sent.push(message),
    delayScale: 10_000,
    roleOf: (name) => `role of ${name}`,
    permit: (role, { service }, { action, resources }) => void permitted.push([role, service, action, ...resources]),
  });
  t.onTestFinished(() => engine.stop());
  return { engine, sent, permitted, attempts: () => attempts };
};

/** Without a time limit: the machine may be slow. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await pause(5);
};

const failing = (name: string): never => {
  throw Object.assign(new Error('why'), { name });
};

test('async invoke: the caller does not wait, and a failed run is retried until it succeeds', async (t) => {
  const { engine, sent, attempts } = start(t, (attempt) => attempt < 3 && failing('Flaky'));
  engine.provision(config(2));
  await engine.run(fn, { n: 1 });
  await until(() => attempts() >= 3);
  await pause(50);
  assert.equal(attempts(), 3);
  assert.deepEqual(sent, []);
});

test('async invoke: a run that keeps failing is sent to the failure destination with event and reason', async (t) => {
  const { engine, sent, permitted, attempts } = start(t, () => failing('Broken'));
  engine.provision(config(1));
  await engine.run(fn, { n: 1 });
  await until(() => sent.length > 0);
  assert.equal(attempts(), 2);
  assert.equal(sent[0]?.queueArn, dead);
  // The function's own role is checked.
  assert.deepEqual(permitted, [[`role of ${fn.split(':').at(-1)}`, 'lambda.amazonaws.com', 'sqs:SendMessage', dead]]);
  const { requestPayload, responsePayload, requestContext } = JSON.parse(sent[0]!.body);
  assert.deepEqual(requestPayload, { n: 1 });
  assert.deepEqual(responsePayload, { errorMessage: 'why', errorType: 'Broken' });
  assert.equal(requestContext.approximateInvokeCount, 2);
});

test('async invoke: an unknown function is reported to the caller', async (t) => {
  const { engine, attempts } = start(t, () => failing('ResourceNotFoundException'));
  await assert.rejects(engine.run(fn, {}), { name: 'ResourceNotFoundException' });
  await pause(50);
  assert.equal(attempts(), 1);
});

test('async invoke: nothing is retried after a stop', async (t) => {
  const { engine, attempts } = start(t, () => failing('Flaky'));
  await engine.run(fn, {});
  engine.stop();
  await pause(50);
  assert.equal(attempts(), 1);
});

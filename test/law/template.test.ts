/** Laws about the synthesized template. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { type Capability, capabilities } from '../../shared/contract/capabilities.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { callBudgetMs } from '../../shared/platform/aws-client/call-aws.ts';
import { functionOf, resourceAt, resourcesOf, target, templatesOf, wantedFunctions } from '../harness/law/templates.ts';

const templates = templatesOf();
const resources = resourcesOf(templates);
const ofType = (type: string) => resources.filter((resource) => resource.type === type);
const functions = ofType('AWS::Lambda::Function');
const find = (stack: string, reference: unknown) => resourceAt(resources, stack, reference);

// CloudFormation's limit is 500; ten more endpoints must fit, at four resources each.
for (const [stack, template] of templates)
  test(`stack ${stack} stays below 450 resources`, () => assert.ok(Object.keys(template.Resources).length <= 450));

test('an endpoint costs four resources, so that more than a hundred fit one stack', () => {
  const perEndpoint = resources.filter((resource) => resource.stack === 'Api' && resource.id.startsWith('OrganizationsList'));
  assert.deepEqual(perEndpoint.map(({ type }) => type).sort(), [
    'AWS::ApiGatewayV2::Integration',
    'AWS::ApiGatewayV2::Route',
    'AWS::IAM::Role',
    'AWS::Lambda::Function',
  ]);
});

test('there is one function for each endpoint and each worker, and no other', () => {
  assert.equal(functions.length, wantedFunctions.length);
  for (const one of wantedFunctions) functionOf(resources, one);
});

describe('functions', () => {
  for (const one of wantedFunctions) {
    test(`${one.name} has exactly the variables of its capabilities`, () => {
      const { Variables = {} } = (functionOf(resources, one).properties.Environment ?? {}) as { Variables?: object };
      const expected = new Set(one.capabilities.flatMap((use: Capability) => capabilities[use] as readonly string[]));
      assert.deepEqual(Object.keys(Variables).sort(), [...expected].sort());
    });
  }

  test('none share a role', () => {
    const used = functions.map((fn) => `${fn.stack}/${target(fn.properties.Role)}`);
    assert.equal(new Set(used).size, functions.length);
  });

  test('all run on arm64 and Node 24, are traced, and log with retention', () => {
    for (const { stack, id, properties } of functions) {
      assert.deepEqual(properties.Architectures, ['arm64'], id);
      assert.equal(properties.Runtime, 'nodejs24.x', id);
      assert.deepEqual(properties.TracingConfig, { Mode: 'Active' }, id);
      const { LogGroup } = properties.LoggingConfig as { LogGroup: unknown };
      assert.ok(Number(find(stack, LogGroup).properties.RetentionInDays) > 0, id);
    }
  });

  // API Gateway times out after 30 s; the function must answer earlier.
  test('no endpoint has a longer timeout than the gateway', () => {
    for (const fn of functions.filter(({ stack }) => stack === 'Api' || stack === 'Extension'))
      assert.ok(Number(fn.properties.Timeout) < 30, fn.id);
  });

  // An AWS call ends before its function, so that the function can still answer. The fallback calls no service.
  test('each one that calls AWS has a longer timeout than the budget of a call', () => {
    assert.ok(functions.length > 50);
    for (const { id, properties } of functions)
      assert.ok(
        properties.Description === workers.fallback.summary || callBudgetMs < Number(properties.Timeout) * 1_000,
        `${id}: ${properties.Timeout} s`,
      );
  });
});

test('every log group has a retention', () => {
  for (const { id, properties } of ofType('AWS::Logs::LogGroup')) assert.ok(Number(properties.RetentionInDays) > 0, id);
});

describe('queues', () => {
  const queues = ofType('AWS::SQS::Queue');
  // Schedules created by functions target the queue in their environment.
  const environments = functions.map(
    ({ properties }) => (properties.Environment as { Variables?: Record<string, unknown> } | undefined)?.Variables,
  );
  const deadLetterTargets = new Set([
    ...environments.flatMap((variables) =>
      [variables?.RETRY_DEAD_LETTERS_ARN, variables?.SCHEDULE_DEAD_LETTERS_ARN].flatMap((arn) => (arn ? [target(arn)] : [])),
    ),
    ...resources.flatMap(({ properties }) =>
      [
        (properties.RedrivePolicy as { deadLetterTargetArn?: unknown } | undefined)?.deadLetterTargetArn,
        (properties.DestinationConfig as { OnFailure?: { Destination: unknown } } | undefined)?.OnFailure?.Destination,
      ]
        .filter((reference) => reference !== undefined)
        .map(target),
    ),
  ]);

  test('each has or is a dead-letter queue', () => {
    for (const { id, properties } of queues) assert.ok(properties.RedrivePolicy || deadLetterTargets.has(id), id);
  });

  test('each is encrypted and requires TLS', () => {
    const policies = ofType('AWS::SQS::QueuePolicy').map(({ properties }) => JSON.stringify(properties));
    for (const { id, properties } of queues) {
      assert.equal(properties.SqsManagedSseEnabled, true, id);
      assert.ok(
        policies.some((policy) => policy.includes(id) && policy.includes('"aws:SecureTransport":"false"')),
        id,
      );
    }
  });

  test('a message is attempted at least five times', () => {
    for (const { id, properties } of queues.filter((queue) => queue.properties.RedrivePolicy))
      assert.ok((properties.RedrivePolicy as { maxReceiveCount: number }).maxReceiveCount >= 5, id);
  });
});

describe('event source mappings', () => {
  const mappings = ofType('AWS::Lambda::EventSourceMapping');

  test('each reports partial failures, so that one bad record does not repeat the good ones', () => {
    assert.equal(mappings.length, 11);
    for (const { id, properties } of mappings)
      assert.deepEqual(properties.FunctionResponseTypes, ['ReportBatchItemFailures'], id);
  });

  // With less than six times, a message returns while the function still processes it.
  test('each queue has a visibility timeout of at least six times its function’s timeout', () => {
    const fromQueues = mappings.filter((mapping) => JSON.stringify(mapping.properties.EventSourceArn).includes('Fn::GetAtt'));
    assert.ok(fromQueues.length > 0);
    for (const { stack, id, properties } of fromQueues) {
      const visibilitySeconds = Number(find(stack, properties.EventSourceArn).properties.VisibilityTimeout);
      const timeoutSeconds = Number(find(stack, properties.FunctionName).properties.Timeout);
      const windowSeconds = Number(properties.MaximumBatchingWindowInSeconds ?? 0);
      assert.ok(visibilitySeconds >= 6 * timeoutSeconds + windowSeconds, id);
    }
  });

  test('each stream gives up a bad record in bounded time, alone, and dead-letters it', () => {
    const fromStreams = mappings.filter((mapping) => mapping.properties.StartingPosition !== undefined);
    assert.ok(fromStreams.length > 0);
    for (const { id, properties } of fromStreams) {
      assert.equal(properties.BisectBatchOnFunctionError, true, id);
      assert.ok(Number(properties.MaximumRecordAgeInSeconds) > 0, id);
      assert.ok(properties.DestinationConfig, id);
    }
  });
});

test('every schedule has bounded retries and a dead-letter queue', () => {
  const schedules = ofType('AWS::Scheduler::Schedule');
  assert.ok(schedules.length > 0);
  for (const { id, properties } of schedules) {
    const { RetryPolicy, DeadLetterConfig } = properties.Target as {
      RetryPolicy?: { MaximumRetryAttempts: number };
      DeadLetterConfig?: unknown;
    };
    assert.ok((RetryPolicy?.MaximumRetryAttempts ?? 0) > 0, id);
    assert.ok(DeadLetterConfig, id);
  }
});

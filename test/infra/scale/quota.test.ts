/** The template keeps within what AWS allows, with room for the next endpoints, and no part of it can take what another needs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { readConfig } from '../../../infra/config.ts';
import {
  queueConcurrency,
  reservedFor,
  stepConcurrency,
  unreservedMin,
  usualConcurrency,
} from '../../../infra/part/function/concurrency.ts';
import { queueNames, workQueueSpecs } from '../../../infra/part/trigger/work-queue-specs.ts';
import { usualMegabytes } from '../../../infra/scale/code.ts';
import { quota } from '../../../infra/scale/quota.ts';
import { task, waitsMax } from '../../../infra/workflow/step.ts';
import {
  retryDelaysSeconds,
  runningBackupsMax,
  runningRestoresMax,
  runningVerificationsMax,
} from '../../../shared/contract/limits.ts';
import { type Worker, type WorkerName, workers } from '../../../shared/contract/runtime/workers.ts';
import { transactionMax } from '../../../shared/platform/index.ts';
import {
  functionOf,
  type Resource,
  resourcesOf,
  settings,
  statementsOf,
  templatesOf,
  wantedFunctions,
} from '../../harness/law/templates.ts';

const templates = templatesOf();
const resources = resourcesOf(templates);
const ofType = (type: string): readonly Resource[] => resources.filter((resource) => resource.type === type);
const functions = ofType('AWS::Lambda::Function');

const addresses = (host: string) => Array.from({ length: 20 }, (_, n) => `https://${host}-${n}.example.com`).join(',');
/** Of a new account that has many consoles. */
const unusual = resourcesOf(
  templatesOf({
    ...settings,
    allowedOrigins: addresses('app'),
    allowedRedirectUris: addresses('redirect'),
    accountConcurrency: '10',
  }),
);

/** Its references replaced by something as long as what they stand for can be: an ARN of a function with a long generated name. */
const resolved = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(resolved);
  const join = (value as { 'Fn::Join'?: readonly [string, readonly unknown[]] })['Fn::Join'];
  if (join) return Array.isArray(join[1]) ? join[1].map(resolved).join(join[0]) : arn;
  const names = Object.keys(value);
  if (names.length === 1 && (names[0] === 'Ref' || names[0]?.startsWith('Fn::')))
    return shortNames.get(JSON.stringify(value)) ?? arn;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one)]));
};
const arn = `arn:aws:lambda:ap-southeast-1:123456789012:function:${'x'.repeat(64)}`;
const shortNames = new Map([
  ['{"Ref":"AWS::Partition"}', 'aws'],
  ['{"Ref":"AWS::Region"}', 'ap-southeast-1'],
  ['{"Ref":"AWS::AccountId"}', '123456789012'],
]);
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(resolved(value)));

describe('quotas of the template', () => {
  test('every stack has room', () => {
    for (const [stack, template] of templates) {
      assert.ok(Object.keys(template.Resources).length < 0.9 * quota.stackResources, stack);
      assert.ok(Object.keys(template.Outputs ?? {}).length < 0.9 * quota.stackOutputs, stack);
      assert.ok(Buffer.byteLength(JSON.stringify(template)) < 0.9 * quota.templateBytes, stack);
    }
  });

  test('routes and integrations of the API fit one API, twice', () => {
    for (const [type, most] of [
      ['AWS::ApiGatewayV2::Route', quota.apiRoutes],
      ['AWS::ApiGatewayV2::Integration', quota.apiIntegrations],
    ] as const) {
      const { length } = ofType(type);
      assert.ok(length > 50 && 2 * length <= most, `${length} of ${type}`);
    }
  });

  test('roles leave most of an account to others', () => {
    const { length } = ofType('AWS::IAM::Role');
    assert.ok(length > 50 && length <= quota.rolesPerAccount / 4, `${length} roles`);
  });

  test('what a role may do fits its policies', () => {
    for (const role of ofType('AWS::IAM::Role')) {
      const bytes = bytesOf(statementsOf(role));
      assert.ok(bytes < 0.9 * quota.rolePolicyBytes, `${role.id}: ${bytes}`);
    }
  });

  test('the variables of a function fit, also with many addresses to redirect to', () => {
    for (const { id, type, properties } of unusual) {
      if (type !== 'AWS::Lambda::Function') continue;
      const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: object };
      assert.ok(bytesOf(Variables) < 0.9 * quota.lambdaEnvironmentBytes, `${id}: ${bytesOf(Variables)}`);
    }
  });

  test('a function of which nothing is said has the memory that the model of scale reckons with', () => {
    const fallback = wantedFunctions.find(({ name }) => name === 'fallback')!;
    assert.equal(functionOf(resources, fallback).properties.MemorySize, usualMegabytes);
  });

  test('no function is to take longer than Lambda lets it', () => {
    for (const { id, properties } of functions) assert.ok(Number(properties.Timeout) <= quota.lambdaSeconds, id);
  });

  test('the API is held back before the account is', () => {
    const [stage] = ofType('AWS::ApiGatewayV2::Stage');
    const { ThrottlingRateLimit } = stage!.properties.DefaultRouteSettings as { ThrottlingRateLimit: number };
    assert.ok(ThrottlingRateLimit > 0 && ThrottlingRateLimit <= quota.apiRequestsPerSecond / 2);
  });

  test('a transaction of ours is one of DynamoDB', () => assert.equal(transactionMax, quota.tableTransactionItems));
});

test('the retries that infra/scale.md tells of are those of the template', () => {
  const page = readFileSync(new URL('../../../infra/scale.md', import.meta.url), 'utf8');
  const says = (line: string): void => assert.ok(page.includes(line), line);
  const one = <T>(values: readonly T[]): T => {
    assert.equal(new Set(values.map((value) => JSON.stringify(value))).size, 1, JSON.stringify(values));
    return values[0]!;
  };
  const feeds = ofType('AWS::Lambda::EventSourceMapping');
  const receives = ofType('AWS::SQS::Queue').flatMap(
    ({ properties }) => (properties.RedrivePolicy as { maxReceiveCount: number })?.maxReceiveCount ?? [],
  );
  says(`| a message of a queue | ${one(receives)} times, each after 6 times the function's time |`);
  const ages = feeds.flatMap(({ properties }) => (properties.MaximumRecordAgeInSeconds as number) ?? []);
  says(`| a record of the stream | for ${one(ages) / 3_600} hours, alone |`);
  const clocks = ofType('AWS::Scheduler::Schedule').map(
    ({ properties }) => (properties.Target as { RetryPolicy: { MaximumRetryAttempts: number } }).RetryPolicy.MaximumRetryAttempts,
  );
  const runs = ofType('AWS::Lambda::EventInvokeConfig').map(({ properties }) => properties.MaximumRetryAttempts);
  assert.equal(one(runs), 2);
  says(`| a run by the clock | ${one(clocks)} times until it is taken, then twice |`);
  const { Retry } = task({ arn: 'arn', timeoutSeconds: 1 }, 'Fail', {});
  assert.deepEqual(
    Retry.map(({ MaxAttempts }) => MaxAttempts),
    [8, waitsMax, 6],
  );
  says('| a step, by a fault of Lambda | 8 times');
  says('| a step, by an error or a timeout | 6 times');
  const waited = retryDelaysSeconds.reduce((sum, seconds) => sum + seconds, 0);
  says(
    `| a webhook | ${retryDelaysSeconds.length} times within ${Math.floor(waited / 3_600)} hours and ${(waited % 3_600) / 60} minutes |`,
  );
});

describe('what runs at once', () => {
  /** A thousand requests a second, the most the stage lets in, at 150 ms each. */
  const apiShare = 150;
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const ofQueues = sum(queueNames.map((name) => workQueueSpecs[name].concurrencyMax));
  const names = Object.keys(workers) as readonly WorkerName[];
  const triggeredBy = (trigger: Worker['trigger']) => names.filter((name) => workers[name].trigger === trigger);

  test('every worker is held: by its queue, by what is reserved for it, or by coming alone', () => {
    assert.deepEqual(triggeredBy('step').toSorted(), Object.keys(stepConcurrency).toSorted());
    assert.deepEqual(triggeredBy('queue').toSorted(), queueNames.map((name): string => workQueueSpecs[name].worker).toSorted());
    for (const { id, properties } of ofType('AWS::Lambda::EventSourceMapping').filter((one) => !one.properties.StartingPosition))
      assert.ok((properties.ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency >= 2, id);
  });

  test('the template reserves what is written down, and nothing else', () => {
    for (const one of wantedFunctions) {
      const most = (stepConcurrency as Readonly<Record<string, number>>)[one.name];
      assert.equal(functionOf(resources, one).properties.ReservedConcurrentExecutions, most, one.name);
    }
  });

  test('all workers at once leave the API what it needs, of an account as AWS makes them', () => {
    assert.equal(usualConcurrency, quota.lambdaConcurrency);
    // The stream has a reader for each of its shards; a table that is busy has some dozens.
    const others = triggeredBy('clock').length + 24;
    assert.ok(sum(Object.values(stepConcurrency)) + ofQueues + others + apiShare <= quota.lambdaConcurrency);
  });

  // A backup that waits for its twentieth copy is slower than need be; one that waits for its first does nothing.
  test('all jobs that one organization may run can work at once, and as many of others', () => {
    assert.ok(stepConcurrency.backupCopy >= 2 * runningBackupsMax);
    assert.ok(Math.min(stepConcurrency.restoreCheck, stepConcurrency.restoreWrite) >= 2 * runningRestoresMax);
    assert.ok(stepConcurrency.backupVerify >= 2 * runningVerificationsMax);
  });

  test('whatever the account has, reservations leave what Lambda asks for, and a small account reserves nothing', () => {
    for (let account = 10; account <= 5_000; account += 10) {
      const reserved = names.map((name) => reservedFor(name, account) ?? 0);
      assert.ok(sum(reserved) === 0 || account - sum(reserved) >= unreservedMin, `${account}: ${sum(reserved)}`);
      const mapped = queueNames.map((name) => queueConcurrency(workQueueSpecs[name].concurrencyMax, account));
      assert.ok(
        mapped.every((most, n) => most >= 2 && most <= Math.max(2, Object.values(workQueueSpecs)[n]?.concurrencyMax ?? 0)),
      );
    }
    assert.deepEqual(
      unusual.filter(({ properties }) => properties.ReservedConcurrentExecutions !== undefined),
      [],
    );
  });

  test('an account that is allowed more gives more to steps', () => {
    const { accountConcurrency } = readConfig({ ...settings, accountConcurrency: '5000' });
    assert.equal(reservedFor('backupCopy', accountConcurrency), 5 * stepConcurrency.backupCopy);
  });
});

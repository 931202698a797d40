/** The template is within AWS quotas, with room for more endpoints, and no part can starve another. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { readConfig } from '../../../infra/config.ts';
import {
  jobsAtOnce,
  queueConcurrency,
  queuesConcurrency,
  reservedFor,
  reservedMax,
  reservedMin,
  slotsOf,
  stepConcurrency,
  unreservedMin,
  usualConcurrency,
} from '../../../infra/part/function/concurrency.ts';
import { queueNames, workQueueSpecs } from '../../../infra/part/trigger/work-queue-specs.ts';
import { usualMegabytes } from '../../../infra/scale/code.ts';
import { quota } from '../../../infra/scale/quota.ts';
import { restingDollars, restingResources } from '../../../infra/scale/resting-costs.ts';
import { task, waitsMax } from '../../../infra/workflow/step.ts';
import {
  concurrentBackups,
  concurrentRestores,
  concurrentVerifications,
  retryDelaysSeconds,
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
/** A new account with many consoles. */
const unusual = resourcesOf(
  templatesOf({
    ...settings,
    allowedOrigins: addresses('app'),
    allowedRedirectUris: addresses('redirect'),
    accountConcurrency: '10',
  }),
);

/** Replaces references by text of the maximum length: the ARN of a function with a long generated name. */
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

  test('the routes and integrations use at most two thirds of what an API may have', () => {
    for (const [type, most] of [
      ['AWS::ApiGatewayV2::Route', quota.apiRoutes],
      ['AWS::ApiGatewayV2::Integration', quota.apiIntegrations],
    ] as const) {
      const { length } = ofType(type);
      assert.ok(length > 50 && 1.5 * length <= most, `${length} of ${type}`);
    }
  });

  test('roles use a minor part of the account’s quota', () => {
    const { length } = ofType('AWS::IAM::Role');
    assert.ok(length > 50 && length <= quota.rolesPerAccount / 4, `${length} roles`);
  });

  test('the permissions of a role fit its policies', () => {
    for (const role of ofType('AWS::IAM::Role')) {
      const bytes = bytesOf(statementsOf(role));
      assert.ok(bytes < 0.9 * quota.rolePolicyBytes, `${role.id}: ${bytes}`);
    }
  });

  test('environment variables fit, also with many redirect URIs', () => {
    for (const { id, type, properties } of unusual) {
      if (type !== 'AWS::Lambda::Function') continue;
      const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: object };
      assert.ok(bytesOf(Variables) < 0.9 * quota.lambdaEnvironmentBytes, `${id}: ${bytesOf(Variables)}`);
    }
  });

  test('the default memory of a function is that of the scale model', () => {
    const fallback = wantedFunctions.find(({ name }) => name === 'fallback')!;
    assert.equal(functionOf(resources, fallback).properties.MemorySize, usualMegabytes);
  });

  test('no timeout exceeds Lambda’s maximum', () => {
    for (const { id, properties } of functions) assert.ok(Number(properties.Timeout) <= quota.lambdaSeconds, id);
  });

  test('the API is throttled below the account’s limit', () => {
    const [stage] = ofType('AWS::ApiGatewayV2::Stage');
    const { ThrottlingRateLimit } = stage!.properties.DefaultRouteSettings as { ThrottlingRateLimit: number };
    assert.ok(ThrottlingRateLimit > 0 && ThrottlingRateLimit <= quota.apiRequestsPerSecond / 2);
  });

  test('a transaction fits DynamoDB’s limit', () => assert.equal(transactionMax, quota.tableTransactionItems));
});

test('the retries in infra/scale.md are those of the template', () => {
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
  says(`| a queue message | ${one(receives)} attempts, each after 6 times the function timeout |`);
  const ages = feeds.flatMap(({ properties }) => (properties.MaximumRecordAgeInSeconds as number) ?? []);
  says(`| a stream record | for ${one(ages) / 3_600} hours, alone |`);
  const clocks = ofType('AWS::Scheduler::Schedule').map(
    ({ properties }) => (properties.Target as { RetryPolicy: { MaximumRetryAttempts: number } }).RetryPolicy.MaximumRetryAttempts,
  );
  const runs = ofType('AWS::Lambda::EventInvokeConfig').map(({ properties }) => properties.MaximumRetryAttempts);
  assert.equal(one(runs), 2);
  says(`| a periodic run | ${one(clocks)} times until Lambda accepts it, then twice |`);
  const { Retry } = task({ arn: 'arn', timeoutSeconds: 1 }, { onFailure: 'Fail', fields: {} });
  assert.deepEqual(
    Retry.map(({ MaxAttempts }) => MaxAttempts),
    [8, waitsMax, 6],
  );
  says('| a step: fault of Lambda | 8 times');
  says('| a step: error or timeout | 6 times');
  const waited = retryDelaysSeconds.reduce((sum, seconds) => sum + seconds, 0);
  says(
    `| a webhook | ${retryDelaysSeconds.length} times within ${Math.floor(waited / 3_600)} hours and ${(waited % 3_600) / 60} minutes |`,
  );
});

describe('what runs at once', () => {
  /** 1,000 requests per second, the stage's throttle, at 150 ms each. */
  const apiShare = 150;
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const ofQueues = sum(queueNames.map((name) => workQueueSpecs[name].concurrencyMax));
  const names = Object.keys(workers) as readonly WorkerName[];
  const triggeredBy = (trigger: Worker['trigger']) => names.filter((name) => workers[name].trigger === trigger);

  test('every worker is limited: by its queue, by its share of the reservation, or by running alone', () => {
    assert.deepEqual(triggeredBy('step').toSorted(), Object.keys(stepConcurrency).toSorted());
    assert.deepEqual(triggeredBy('queue').toSorted(), queueNames.map((name): string => workQueueSpecs[name].worker).toSorted());
    for (const { id, properties } of ofType('AWS::Lambda::EventSourceMapping').filter((one) => !one.properties.StartingPosition))
      assert.ok((properties.ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency >= 2, id);
  });

  test('nothing is reserved unless the setting says so, and then each step has its share', () => {
    const reserving = resourcesOf(templatesOf({ ...settings, reservedConcurrency: sum(Object.values(stepConcurrency)) }));
    for (const one of wantedFunctions) {
      const most = (stepConcurrency as Readonly<Record<string, number>>)[one.name];
      assert.equal(functionOf(resources, one).properties.ReservedConcurrentExecutions, undefined, one.name);
      assert.equal(functionOf(reserving, one).properties.ReservedConcurrentExecutions, most, one.name);
    }
  });

  test('with all workers busy, the API has enough of a default account', () => {
    assert.equal(usualConcurrency, quota.lambdaConcurrency);
    // The stream has one consumer per shard; a busy table has a few dozen shards.
    const others = triggeredBy('clock').length + 24;
    assert.ok(sum(Object.values(stepConcurrency)) + ofQueues + others + apiShare <= quota.lambdaConcurrency);
  });

  // A backup that waits for its twentieth copy is slow; one that waits for its first makes no progress.
  test('all jobs that one organization may run fit at once, and as many of others', () => {
    assert.ok(stepConcurrency.backupCopy >= 2 * concurrentBackups);
    assert.ok(Math.min(stepConcurrency.restoreCheck, stepConcurrency.restoreWrite) >= 2 * concurrentRestores);
    assert.ok(stepConcurrency.backupVerify >= 2 * concurrentVerifications);
  });

  test('shares never exceed the reservation, none is zero, and a reservation leaves what the queues and the API need', () => {
    for (let reservation = reservedMin; reservation <= 5_000; reservation += 5) {
      const reserved = triggeredBy('step').map((name) => reservedFor(name, reservation) ?? 0);
      assert.ok(Math.min(...reserved) >= 1 && sum(reserved) <= reservation, `${reservation}: ${reserved}`);
    }
    const refusal = (reservedConcurrency: number, accountConcurrency: number): string => {
      try {
        return String(readConfig({ ...settings, reservedConcurrency, accountConcurrency }).reservedConcurrency);
      } catch (error) {
        return (error as Error).message;
      }
    };
    const usualMax = usualConcurrency - ofQueues - unreservedMin;
    assert.equal(refusal(usualMax, usualConcurrency), String(usualMax));
    assert.match(refusal(reservedMin - 1, 1_000), /^ {2}reservedConcurrency: must be 0 or at least 95/m);
    // 900 leaves what Lambda requires, but the queues would take all of it from the API.
    for (const [reservation, most, account, queues] of [
      [usualMax + 1, usualMax, 1_000, ofQueues],
      [900, usualMax, 1_000, ofQueues],
      [95, 0, 10, queuesConcurrency(10)],
    ] as const)
      assert.match(
        refusal(reservation, account),
        new RegExp(
          `^ {2}reservedConcurrency: must be at most ${most} with accountConcurrency ${account}: the queues use up to ${queues},`,
          'm',
        ),
      );
  });

  test('the guides recommend the reservation that the shares add up to, and state the largest', () => {
    const read = (file: string): string => readFileSync(new URL(`../../../infra/${file}`, import.meta.url), 'utf8');
    const [deploy, scale] = [read('deploy.md'), read('scale.md')];
    const stated = [/Set (\d+) before you run as many/.exec(deploy), /for a reservation of (\d+);/.exec(scale)];
    assert.deepEqual(
      stated.map((found) => Number(found?.[1])),
      [sum(Object.values(stepConcurrency)), sum(Object.values(stepConcurrency))],
    );
    assert.ok(deploy.includes(`(${reservedMax(1_000)} of 1,000: the queues use up to ${ofQueues},`));
  });

  test('a small account lowers the limits of the queues, but not below what Lambda accepts', () => {
    for (let account = 10; account <= 5_000; account += 10) {
      const mapped = queueNames.map((name) => queueConcurrency(workQueueSpecs[name].concurrencyMax, account));
      assert.ok(
        mapped.every((most, n) => most >= 2 && most <= Math.max(2, Object.values(workQueueSpecs)[n]?.concurrencyMax ?? 0)),
      );
    }
  });

  describe('an account with a concurrency of ten', () => {
    const small = resourcesOf(templatesOf({ ...settings, accountConcurrency: 10 }));
    const of = (all: readonly Resource[], type: string) => all.filter((resource) => resource.type === type);
    const widths = (all: readonly Resource[]): readonly number[] =>
      of(all, 'AWS::StepFunctions::StateMachine')
        .flatMap(({ properties }) => [...JSON.stringify(properties).matchAll(/MaxConcurrency[\\": ]+(\d+)/g)])
        .map(([, width]) => Number(width))
        .toSorted((a, b) => b - a);
    const slots = (all: readonly Resource[]): readonly number[] =>
      of(all, 'AWS::Lambda::Function').flatMap(({ properties }) => {
        const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: Record<string, string> };
        return Variables.WORK_SLOTS ? [(JSON.parse(Variables.WORK_SLOTS) as { slots: number }).slots] : [];
      });

    test('has narrow maps: three copies, one writer, one range of an export', () => {
      assert.deepEqual(widths(small), [3, 1, 1, 1]);
      assert.deepEqual(widths(resources), [20, 20, 20, 10]);
    });

    test('lets all queue workers share three slots, slow ones two of them, and keeps two functions for the API and one for batches without a slot', () => {
      assert.deepEqual(slots(small).toSorted(), [1, 2, 2, 2, 2, 2, 3, 3, 3, 3]);
      assert.equal(slots(small).length, queueNames.length);
      assert.deepEqual(slots(resources), []);
      assert.deepEqual(slotsOf('capture', 10)?.urgent?.slots, 2);
      assert.equal(slotsOf('deliveryRetry', 10)?.ownMax, 1, 'hanging endpoints leave a slow slot to other work');
      const [copies = 0, stream, api, spare] = [widths(small)[0], 1, 2, 1];
      assert.equal(copies + Math.max(...slots(small)) + stream + api + spare, 10);
    });

    test('spreads its watchdogs, and runs one job of a kind for an organization', () => {
      for (const { id, properties } of of(small, 'AWS::Scheduler::Schedule'))
        assert.equal((properties.FlexibleTimeWindow as { Mode: string }).Mode, 'FLEXIBLE', id);
      for (const { id, properties } of ofType('AWS::Scheduler::Schedule'))
        assert.equal((properties.FlexibleTimeWindow as { Mode: string }).Mode, 'OFF', id);
      assert.deepEqual([jobsAtOnce(20, 10), jobsAtOnce(20, 100), jobsAtOnce(20, 1_000)], [1, 10, 20]);
    });

    test('is alarmed by its own threshold', () => {
      const above = (all: readonly Resource[]) =>
        of(all, 'AWS::CloudWatch::Alarm').find(({ properties }) => properties.MetricName === 'ClaimedAccountConcurrency')
          ?.properties.Threshold;
      assert.deepEqual([above(small), above(resources)], [9, 900]);
    });
  });

  test('a larger reservation gives more to each step', () =>
    assert.equal(reservedFor('backupCopy', 5 * sum(Object.values(stepConcurrency))), 5 * stepConcurrency.backupCopy));
});

describe('the cost at rest', () => {
  test('is that of the resources in the template', () => {
    const runsPerHour = ofType('AWS::Scheduler::Schedule').reduce(
      (sum, { properties }) => sum + 60 / Number(/^rate\((\d+) minutes\)$/.exec(String(properties.ScheduleExpression))?.[1]),
      0,
    );
    assert.deepEqual(restingResources, {
      keys: ofType('AWS::KMS::Key').length,
      secrets: ofType('AWS::SecretsManager::Secret').length,
      alarms: ofType('AWS::CloudWatch::Alarm').length,
      dashboards: ofType('AWS::CloudWatch::Dashboard').length,
      queueTriggers: ofType('AWS::Lambda::EventSourceMapping').filter((one) => !one.properties.StartingPosition).length,
      runsPerHour,
    });
  });

  test('is stated in infra/deploy.md', () => {
    const guide = readFileSync(new URL('../../../infra/deploy.md', import.meta.url), 'utf8');
    assert.ok(guide.includes(`about $${Math.round(restingDollars)} a month`), String(restingDollars));
  });
});

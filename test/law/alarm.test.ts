/** Every alarm has a section in the runbook, and every serious failure has an alarm. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { logLines } from '../../shared/contract/runtime/alarm-log-lines.ts';
import { workers as workersOf } from '../../shared/contract/runtime/workers.ts';
import { resourcesOf, target, templatesOf } from '../harness/law/templates.ts';

const resources = resourcesOf(templatesOf());
const alarms = resources.filter((resource) => resource.type === 'AWS::CloudWatch::Alarm');
const names = alarms.map(({ properties }) => String(properties.AlarmName));
const runbook = readFileSync(new URL('../../infra/runbook.md', import.meta.url), 'utf8');
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

for (const name of names) {
  test(`runbook: ${name} has its meaning, where to look and what to do`, () => {
    const section = sections.get(name);
    assert.ok(section, `no section ${name}`);
    for (const part of ['**Means**', '**Look**', '**Do**']) assert.ok(section.includes(part), `${name} lacks ${part}`);
    const look = section.slice(section.indexOf('**Look**'), section.indexOf('**Do**'));
    assert.match(look, /`(ask|access|errors|letters|feed|clock|failed) [^`]+`/, `${name} has no command`);
  });
}

test('runbook: every section belongs to an alarm', () =>
  assert.deepEqual(
    [...sections.keys()].filter((name) => !names.includes(name)),
    [],
  ));

test('alarms: each notifies a topic that accepts alarms', () => {
  for (const { id, properties } of alarms) assert.equal((properties.AlarmActions as unknown[]).length, 1, id);
  const policy = resources.find(({ type }) => type === 'AWS::SNS::TopicPolicy')?.properties.PolicyDocument as {
    Statement: readonly { Effect: string; Action: string; Principal: { Service?: string } }[];
  };
  assert.ok(
    policy.Statement.some(
      ({ Effect, Action, Principal }) =>
        Effect === 'Allow' && Action === 'sns:Publish' && Principal.Service === 'cloudwatch.amazonaws.com',
    ),
  );
});

const watched = (metric: string, dimension: string): readonly string[] =>
  alarms
    .filter(({ properties }) => properties.MetricName === metric)
    .flatMap(({ properties }) => properties.Dimensions as readonly { Name: string; Value: unknown }[])
    .filter(({ Name }) => Name === dimension)
    .map(({ Value }) => target(Value));

const idsOf = (type: string, keep: (properties: Readonly<Record<string, unknown>>) => boolean = () => true) =>
  resources.filter((resource) => resource.type === type && keep(resource.properties)).map(({ id }) => id);

/** Queues whose alarm fires for visible messages: for any, or if there are always some. */
const visibleIn = (statistic: 'Maximum' | 'Minimum') =>
  alarms
    .filter(
      ({ properties: { MetricName, Threshold, Statistic } }) =>
        MetricName === 'ApproximateNumberOfMessagesVisible' && Threshold === 0 && Statistic === statistic,
    )
    .flatMap(({ properties }) => properties.Dimensions as readonly { Value: unknown }[])
    .map(({ Value }) => target(Value));

test('alarms: every dead-letter queue has one for its first message', () =>
  assert.deepEqual(
    visibleIn('Maximum').sort(),
    idsOf('AWS::SQS::Queue', (properties) => properties.RedrivePolicy === undefined).sort(),
  ));

test('alarms: every work queue has one for its oldest message or, with long-running work, for messages not received', () =>
  assert.deepEqual(
    [...watched('ApproximateAgeOfOldestMessage', 'QueueName'), ...visibleIn('Minimum')].sort(),
    idsOf('AWS::SQS::Queue', (properties) => properties.RedrivePolicy !== undefined).sort(),
  ));

// A failed message returns after the visibility timeout and may then run as long as its function.
test('alarms: one failed attempt of a message raises no backlog alarm', () => {
  const waits = alarms.filter(({ properties }) => properties.MetricName === 'ApproximateAgeOfOldestMessage');
  assert.ok(waits.length > 4);
  for (const { properties } of waits) {
    const name = target((properties.Dimensions as readonly { Value: unknown }[])[0]?.Value);
    const visibilitySeconds = Number(resources.find(({ id }) => id === name)?.properties.VisibilityTimeout);
    assert.ok(Number(properties.Threshold) > visibilitySeconds + visibilitySeconds / 6, String(properties.AlarmName));
  }
});

test('alarms: every workflow has one for failed and for timed-out executions', () => {
  const workflows = idsOf('AWS::StepFunctions::StateMachine');
  assert.deepEqual(watched('ExecutionsFailed', 'StateMachineArn'), workflows);
  assert.deepEqual(watched('ExecutionsTimedOut', 'StateMachineArn'), workflows);
});

// Failures of API functions are 5xx of the API, which has one alarm.
test('alarms: every worker has one for errors', () => {
  const workers = resources
    .filter(({ type, stack }) => type === 'AWS::Lambda::Function' && stack === 'Engine')
    // Its failure is that of the deployment.
    .filter(({ properties }) => properties.Description !== workersOf.schemaCheck.summary)
    .map(({ id }) => id);
  assert.deepEqual([...watched('Errors', 'FunctionName')].sort(), workers.sort());
});

test('alarms: every stream consumer has one for waiting records', () => {
  const fed = resources.filter(({ properties }) => properties.StartingPosition !== undefined);
  assert.ok(fed.length > 0);
  assert.deepEqual(
    watched('IteratorAge', 'FunctionName'),
    fed.map(({ properties }) => target(properties.FunctionName)),
  );
});

// A sum or quotient has no data if one metric has none, and most metrics exist only during failures.
test('alarms: none depends on two metrics', () =>
  assert.deepEqual(
    alarms.filter(({ properties }) => properties.Metrics !== undefined).map(({ id }) => id),
    [],
  ));

test('alarms: a periodic function has one for a run whose retries all failed', () => {
  const runs = resources.filter(({ type }) => type === 'AWS::Lambda::EventInvokeConfig');
  assert.ok(runs.length > 0);
  for (const { properties: run } of runs) {
    const { properties } = alarms.find(
      ({ properties: { MetricName, Dimensions } }) =>
        MetricName === 'Errors' && target((Dimensions as readonly { Value: unknown }[])[0]?.Value) === target(run.FunctionName),
    )!;
    assert.equal(properties.EvaluationPeriods, 1);
    assert.equal(properties.Threshold, run.MaximumRetryAttempts);
    // Lambda waits one and two minutes; each attempt may take a minute.
    assert.ok(Number(properties.Period) >= 360);
  }
});

// Missing data is the point: a disabled schedule reports nothing.
test('alarms: a periodic function has one for missing runs, and only these treat missing data as breaching', () => {
  const clocks = resources.filter(({ type }) => type === 'AWS::Scheduler::Schedule');
  const silent = alarms.filter(({ properties }) => properties.TreatMissingData === 'breaching');
  assert.deepEqual(
    silent.map(({ properties }) => target((properties.Dimensions as readonly { Value: unknown }[])[0]?.Value)).sort(),
    clocks.map(({ properties }) => target((properties.Target as { Arn: unknown }).Arn)).sort(),
  );
  for (const { properties } of silent) {
    const { MetricName, Statistic, Threshold, ComparisonOperator, Period } = properties;
    assert.deepEqual([MetricName, Statistic, Threshold, ComparisonOperator], ['Invocations', 'Sum', 1, 'LessThanThreshold']);
    const fn = target((properties.Dimensions as readonly { Value: unknown }[])[0]?.Value);
    const clock = clocks.find((one) => target((one.properties.Target as { Arn: unknown }).Arn) === fn)!;
    const minutes = Number(/^rate\((\d+) minutes\)$/.exec(String(clock.properties.ScheduleExpression))?.[1]);
    assert.equal(Period, 3 * minutes * 60);
    // CloudWatch's longest period.
    assert.ok(Number(Period) <= 86_400);
  }
  for (const { properties } of alarms)
    assert.ok(['notBreaching', 'breaching'].includes(String(properties.TreatMissingData)), String(properties.AlarmName));
});

test('alarms: throttled reads and writes of the table have one each', () => {
  for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents'])
    assert.equal(watched(metric, 'TableName').length, 1, metric);
});

test('alarms: server errors of the API and the account’s concurrency have one each', () => {
  for (const metric of ['5xx', 'ClaimedAccountConcurrency'])
    assert.ok(
      alarms.some(({ properties }) => properties.MetricName === metric),
      metric,
    );
});

// A customer's wrong passphrase raises no alarm; an error of KMS for the service's own key does, in any function.
const counted = {
  keyRefused: ['Api', 'Engine', 'Extension'],
  secretsKeyRefused: ['Api', 'Engine', 'Extension'],
  providerFailed: ['Api'],
  scheduleOverdue: ['Engine'],
  captureStopped: ['Engine'],
  batchTimedOut: ['Engine'],
  slotAwaited: ['Engine'],
} as const satisfies Record<keyof typeof logLines, readonly string[]>;
for (const [line, stacks] of Object.entries(counted)) {
  test(`alarms: the log line ${line} has one`, () => {
    const text = logLines[line as keyof typeof logLines];
    const filters = resources.filter(
      ({ type, properties }) => type === 'AWS::Logs::MetricFilter' && String(properties.FilterPattern).includes(text),
    );
    assert.deepEqual(filters.map(({ stack }) => stack).sort(), stacks);
    for (const { properties } of filters) {
      const [{ MetricName } = {}] = properties.MetricTransformations as readonly { MetricName?: string }[];
      assert.ok(alarms.some(({ properties: alarm }) => alarm.MetricName === MetricName));
    }
  });
}

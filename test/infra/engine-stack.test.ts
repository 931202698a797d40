/** The engine stack matches the code that runs in it. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { compileFilterCriteria } from '../../infra/local/event-source/filter-criteria.ts';
import { auditPartition } from '../../shared/audit/index.ts';
import { organizationEvents } from '../../shared/contract/event-data/organization-events.ts';
import { webhookTimeoutMsMax } from '../../shared/contract/limits.ts';
import { emit, enqueue } from '../../shared/event/index.ts';
import { organizationKey } from '../../shared/organization/model/record.ts';
import { iso, unsafeTenant, type Write } from '../../shared/platform/index.ts';
import { webhookKey } from '../../shared/webhook/model/record.ts';
import { resourcesOf, statementsOf, templatesOf } from '../harness/law/templates.ts';

const resources = resourcesOf(templatesOf());
/** By name in the code; some have a hash appended. */
const named = (name: string) =>
  resources.find(({ stack, id }) => stack === 'Engine' && (id === name || id.replace(/[0-9A-F]{8}$/, '') === name))!;
const tenant = unsafeTenant('org_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'record');

test('engine stack: the stream invokes its consumer for new tasks and events only', () => {
  assert.equal(resources.filter(({ properties }) => properties.StartingPosition !== undefined).length, 1);
  /** The local stage's poller implements Lambda's filter rules. */
  const passes = compileFilterCriteria(named('FanOutFeed').properties.FilterCriteria);
  const record = (eventName: string, { pk, sk }: { pk: string; sk: string }) => ({
    eventName,
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
  });
  const keysOf = (write: Write) => ('put' in write ? write.put : assert.fail('the transaction has a Put'));
  const task = keysOf(enqueue(tenant, { kind: 'purge-organization', deleteBackupData: false }, new Date(0)));
  const organization = { id: tenant.organizationId, name: 'One', slug: 'one', ownerId: 'usr_1', createdAt: iso(new Date(0)) };
  const event = keysOf(
    emit(tenant, { schemas: organizationEvents, name: 'organization.created', data: { organization }, now: new Date(0) }),
  );
  const others = [
    organizationKey.seen(tenant, 'sa_1'),
    webhookKey.webhook(tenant, 'wh_1'),
    webhookKey.delivery(tenant, 'wh_1', 'dlv_1'),
    webhookKey.health(tenant, 'wh_1'),
    { pk: auditPartition('org_1'), sk: 'aud_1' },
  ];
  for (const own of [task, event]) {
    assert.ok(passes(record('INSERT', own)), own.sk);
    // Written by time to live and by the purge.
    for (const change of ['MODIFY', 'REMOVE']) assert.ok(!passes(record(change, own)), change);
  }
  for (const keys of others) assert.ok(!passes(record('INSERT', keys)), keys.sk);
});

test('engine stack: the stream consumer can read only the stream and send only to the queues', () => {
  const statements = statementsOf(named('FanOutRole'));
  assert.deepEqual(
    [...new Set(statements.flatMap(({ Action }) => Action))].filter((action) => /^(dynamodb|sqs)/.test(action)).sort(),
    ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams', 'sqs:SendMessage'],
  );
  for (const queue of ['Tasks', 'Chores', 'Matches', 'Deliveries', 'SlowDeliveries'])
    assert.ok(JSON.stringify(statements).includes(`"${named(queue).id}"`), queue);
});

test('engine stack: events have their own queue, with a visibility timeout of six times the function timeout', () => {
  const { EventSourceArn, BatchSize } = named('EventMatchFeed').properties;
  assert.deepEqual(EventSourceArn, { 'Fn::GetAtt': [named('Matches').id, 'Arn'] });
  assert.equal(BatchSize, 10);
  const { Timeout, MemorySize } = named('EventMatch').properties;
  assert.equal(Number(named('Matches').properties.VisibilityTimeout), 6 * Number(Timeout));
  // A whole core: creating deliveries is CPU-bound.
  assert.equal(MemorySize, 1_769);
});

describe('engine stack: the partitions in permissions are those the code uses', () => {
  const patterns = resources
    .filter(({ type }) => type === 'AWS::IAM::Role')
    .flatMap((role) => statementsOf(role))
    .flatMap(({ Condition }) => {
      const likes = (Condition as Record<string, Record<string, readonly string[]>> | undefined)?.['ForAllValues:StringLike'];
      return likes?.['dynamodb:LeadingKeys'] ?? [];
    });
  const covered = (pk: string) => patterns.some((pattern) => pk.startsWith(pattern.slice(0, -1)));

  test('the audit log', () => assert.ok(covered(auditPartition('org_1'))));
  test('last-seen items', () => assert.ok(covered(organizationKey.seen(tenant, 'sa_1').pk)));
  test('deliveries and endpoint health', () => {
    assert.ok(covered(webhookKey.delivery(tenant, 'wh_1', 'dlv_1').pk));
    assert.ok(covered(webhookKey.health(tenant, 'wh_1').pk));
  });
  test('webhooks and events', () => assert.ok(covered(webhookKey.webhook(tenant, 'wh_1').pk)));
  test('and no other', () =>
    assert.deepEqual([...new Set(patterns)].sort(), ['AUDIT#*', 'DELIVERY#*', 'ORG#*', 'RATE#*', 'SCHEMA', 'SEEN#*']));
});

test('engine stack: e-mail may be sent from the configured address only, whichever identity SES checks', () => {
  const statements = statementsOf(named('TaskRole')).filter(({ Action }) => Action.includes('ses:SendEmail'));
  assert.deepEqual(
    statements.map(({ Condition }) => Condition),
    [{ StringEquals: { 'ses:FromAddress': 'backups@mail.example.com' } }],
  );
});

test('engine stack: the sweep runs hourly, and its failed runs are dead-lettered', () => {
  assert.equal(named('SweepClock').properties.ScheduleExpression, 'rate(60 minutes)');
  assert.ok(named('SweepRetries').properties.DestinationConfig);
});

test('engine stack: bucket work has its own queue and worker, one message at a time, without e-mail and workflow permissions', () => {
  const [task, bucketWork] = [named('TaskFeed').properties, named('BucketWorkFeed').properties];
  assert.notDeepEqual(task.EventSourceArn, bucketWork.EventSourceArn);
  assert.equal(bucketWork.BatchSize, 1);
  const actionsOf = (role: string) => statementsOf(named(role)).flatMap(({ Action }) => Action);
  for (const action of ['ses:SendEmail', 'states:StartExecution'])
    assert.ok(!actionsOf('BucketWorkRole').includes(action), action);
  // It also replays events.
  assert.deepEqual(
    statementsOf(named('BucketWorkRole'))
      .filter(({ Action }) => Action.includes('sqs:SendMessage'))
      .map(({ Resource }) => Resource),
    [[{ 'Fn::GetAtt': [named('SlowDeliveries').id, 'Arn'] }]],
  );
  for (const action of ['sts:AssumeRole', 'kms:Encrypt', 'kms:GenerateDataKey', 'sqs:SendMessage'])
    assert.ok(!actionsOf('TaskRole').includes(action), action);
});

// An attacker who compromises the sender gets the permissions of its role.
describe('a webhook sender has no other permissions (C20, E14)', () => {
  for (const name of ['DeliverRole', 'DeliverRetryRole']) {
    const statements = statementsOf(named(name));
    const of = (action: string) => statements.filter(({ Action }) => Action.includes(action));

    test(`${name} has exactly these actions`, () =>
      assert.deepEqual([...new Set(statements.flatMap(({ Action }) => Action))].sort(), [
        'dynamodb:BatchGetItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
        'iam:PassRole',
        'kms:Decrypt',
        'logs:CreateLogStream',
        'logs:PutLogEvents',
        'scheduler:CreateSchedule',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ReceiveMessage',
        'sqs:SendMessage',
        'xray:PutTelemetryRecords',
        'xray:PutTraceSegments',
      ]));

    test(`${name} reads organizations and deliveries, but no sessions, account keys or audit entries`, () =>
      assert.deepEqual(
        of('dynamodb:BatchGetItem').map(({ Condition }) => Condition),
        [
          {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ORG#*', 'DELIVERY#*'] },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        ],
      ));

    // A postponed retry returns through the queue that the function reads: Lambda would drop it after about 16 times.
    test(`${name} may send to the queue it reads`, () =>
      assert.equal(named(name.replace('Role', '')).properties.RecursiveLoop, 'Allow'));

    test(`${name} decrypts secrets and URLs of webhooks only, and no data key`, () => {
      assert.deepEqual(
        of('kms:Decrypt').map(({ Condition }) => Condition),
        [{ StringEquals: { 'kms:EncryptionContext:purpose': ['webhook-secret', 'webhook-url'] } }],
      );
      assert.ok(!JSON.stringify(of('kms:Decrypt')).includes('DataKey'));
    });

    test(`${name} creates schedules in its own group only, with a role that sends to the retry queue`, () => {
      const [entries] = of('scheduler:CreateSchedule');
      assert.match(JSON.stringify(entries?.Resource), /:schedule\/.*RetriesGroup.*\/\*/);
      assert.match(JSON.stringify(of('iam:PassRole')[0]?.Resource), /RetriesRole/);
      assert.match(JSON.stringify(statementsOf(named('RetriesRole'))), /SlowDeliveries/);
    });
  }

  test('engine stack: each delivery queue has its own function; its visibility timeout is six times the function timeout', () => {
    const queues = ['DeliverFeed', 'DeliverRetryFeed'].map((feed) => named(feed).properties);
    assert.notDeepEqual(queues[0]?.EventSourceArn, queues[1]?.EventSourceArn);
    assert.notDeepEqual(queues[0]?.FunctionName, queues[1]?.FunctionName);
    for (const [fn, queue] of [
      ['Deliver', 'Deliveries'],
      ['DeliverRetry', 'SlowDeliveries'],
    ] as const) {
      // The longest request plus a margin.
      assert.ok(Number(named(fn).properties.Timeout) >= webhookTimeoutMsMax / 1_000 + 10);
      assert.ok(Number(named(queue).properties.VisibilityTimeout) >= 6 * Number(named(fn).properties.Timeout));
    }
  });
});

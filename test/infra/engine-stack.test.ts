/** The engine's parts fit the code that runs in them, which it cannot import. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { compileFilterCriteria } from '../../infra/local/event-source/filter-criteria.ts';
import { auditPartition } from '../../shared/audit/index.ts';
import { webhookTimeoutMsMax } from '../../shared/contract/limits.ts';
import { emit, enqueue } from '../../shared/event/index.ts';
import { organizationKey } from '../../shared/organization/model/record.ts';
import { iso, unsafeTenant, type Write } from '../../shared/platform/index.ts';
import { webhookKey } from '../../shared/webhook/model/record.ts';
import { resourcesOf, statementsOf, templatesOf } from '../harness/law/templates.ts';

const resources = resourcesOf(templatesOf());
/** By its name in the code; some get a digest after it. */
const named = (name: string) =>
  resources.find(({ stack, id }) => stack === 'Engine' && (id === name || id.replace(/[0-9A-F]{8}$/, '') === name))!;
const tenant = unsafeTenant('org_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'record');

test('the stream wakes its one reader for exactly the items that leave: new tasks and events', () => {
  assert.equal(resources.filter(({ properties }) => properties.StartingPosition !== undefined).length, 1);
  /** Lambda's own rules are those of the local stage's poller. */
  const passes = compileFilterCriteria(named('FanOutFeed').properties.FilterCriteria);
  const record = (eventName: string, { pk, sk }: { pk: string; sk: string }) => ({
    eventName,
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
  });
  const keysOf = (write: Write) => ('put' in write ? write.put : assert.fail('it puts an item'));
  const task = keysOf(enqueue(tenant, { kind: 'purge-organization', deleteBackupData: false }, new Date(0)));
  const organization = { id: tenant.organizationId, name: 'One', slug: 'one', ownerId: 'usr_1', createdAt: iso(new Date(0)) };
  const event = keysOf(emit(tenant, 'organization.created', { organization }, new Date(0)));
  const others = [
    organizationKey.seen(tenant, 'sa_1'),
    webhookKey.webhook(tenant, 'wh_1'),
    webhookKey.delivery(tenant, 'wh_1', 'dlv_1'),
    webhookKey.health(tenant, 'wh_1'),
    { pk: auditPartition('org_1'), sk: 'aud_1' },
  ];
  for (const own of [task, event]) {
    assert.ok(passes(record('INSERT', own)), own.sk);
    // Time to live removes them, and a purge.
    for (const change of ['MODIFY', 'REMOVE']) assert.ok(!passes(record(change, own)), change);
  }
  for (const keys of others) assert.ok(!passes(record('INSERT', keys)), keys.sk);
});

test('who hands on what leaves the table can read nothing of it but the stream, and do nothing but send to the queues', () => {
  const statements = statementsOf(named('FanOutRole'));
  assert.deepEqual(
    [...new Set(statements.flatMap(({ Action }) => Action))].filter((action) => /^(dynamodb|sqs)/.test(action)).sort(),
    ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams', 'sqs:SendMessage'],
  );
  for (const queue of ['Tasks', 'Chores', 'Matches', 'Deliveries', 'SlowDeliveries'])
    assert.ok(JSON.stringify(statements).includes(`"${named(queue).id}"`), queue);
});

test('events wait in a queue of their own, and are hidden for six times as long as a batch may take', () => {
  const { EventSourceArn, BatchSize } = named('MatchFeed').properties;
  assert.deepEqual(EventSourceArn, { 'Fn::GetAtt': [named('Matches').id, 'Arn'] });
  assert.equal(BatchSize, 10);
  const { Timeout, MemorySize } = named('Match').properties;
  assert.equal(Number(named('Matches').properties.VisibilityTimeout), 6 * Number(Timeout));
  // A whole core: making a delivery is work, not waiting.
  assert.equal(MemorySize, 1_769);
});

describe('the partitions that permissions name are those the code reads and writes', () => {
  const patterns = resources
    .filter(({ type }) => type === 'AWS::IAM::Role')
    .flatMap((role) => statementsOf(role))
    .flatMap(({ Condition }) => {
      const likes = (Condition as Record<string, Record<string, readonly string[]>> | undefined)?.['ForAllValues:StringLike'];
      return likes?.['dynamodb:LeadingKeys'] ?? [];
    });
  const covered = (pk: string) => patterns.some((pattern) => pk.startsWith(pattern.slice(0, -1)));

  test('the audit log', () => assert.ok(covered(auditPartition('org_1'))));
  test('who was seen', () => assert.ok(covered(organizationKey.seen(tenant, 'sa_1').pk)));
  test('deliveries, and what is known of their endpoints', () => {
    assert.ok(covered(webhookKey.delivery(tenant, 'wh_1', 'dlv_1').pk));
    assert.ok(covered(webhookKey.health(tenant, 'wh_1').pk));
  });
  test('webhooks and events', () => assert.ok(covered(webhookKey.webhook(tenant, 'wh_1').pk)));
  test('and no other', () =>
    assert.deepEqual([...new Set(patterns)].sort(), ['AUDIT#*', 'DELIVERY#*', 'ORG#*', 'RATE#*', 'SEEN#*']));
});

test('mail may be sent from the configured address and from no other, whatever SES asks for besides', () => {
  const statements = statementsOf(named('TaskRole')).filter(({ Action }) => Action.includes('ses:SendEmail'));
  assert.deepEqual(
    statements.map(({ Condition }) => Condition),
    [{ StringEquals: { 'ses:FromAddress': 'backups@mail.example.com' } }],
  );
});

test('the sweep runs every hour and what it could not do is put aside', () => {
  assert.equal(named('SweepClock').properties.ScheduleExpression, 'rate(60 minutes)');
  assert.ok(named('SweepRetries').properties.DestinationConfig);
});

test('what reaches into buckets has a queue and a worker of its own, one message at a time, and may neither mail nor start anything', () => {
  const [task, chore] = [named('TaskFeed').properties, named('ChoreFeed').properties];
  assert.notDeepEqual(task.EventSourceArn, chore.EventSourceArn);
  assert.equal(chore.BatchSize, 1);
  const actionsOf = (role: string) => statementsOf(named(role)).flatMap(({ Action }) => Action);
  for (const action of ['ses:SendEmail', 'states:StartExecution']) assert.ok(!actionsOf('ChoreRole').includes(action), action);
  // It replays events, too.
  assert.deepEqual(
    statementsOf(named('ChoreRole'))
      .filter(({ Action }) => Action.includes('sqs:SendMessage'))
      .map(({ Resource }) => Resource),
    [[{ 'Fn::GetAtt': [named('SlowDeliveries').id, 'Arn'] }]],
  );
  for (const action of ['sts:AssumeRole', 'kms:Encrypt', 'kms:GenerateDataKey', 'sqs:SendMessage'])
    assert.ok(!actionsOf('TaskRole').includes(action), action);
});

// A stranger who turned the sender would hold what its role holds.
describe('who sends to webhooks could do nothing else (C20, E14)', () => {
  for (const name of ['DeliverRole', 'DeliverSlowRole']) {
    const statements = statementsOf(named(name));
    const of = (action: string) => statements.filter(({ Action }) => Action.includes(action));

    test(`${name} holds exactly these actions`, () =>
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

    test(`${name} reads organizations and deliveries: no session, no key of an account, no audit log`, () =>
      assert.deepEqual(
        of('dynamodb:BatchGetItem').map(({ Condition }) => Condition),
        [
          {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ORG#*', 'DELIVERY#*'] },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        ],
      ));

    // A retry that is put off comes back by the queue that the function reads: Lambda would stop it after some 16 times.
    test(`${name} may send to the queue it reads`, () =>
      assert.equal(named(name.replace('Role', '')).properties.RecursiveLoop, 'Allow'));

    test(`${name} opens webhooks' secrets and no other, and no data key`, () => {
      assert.deepEqual(
        of('kms:Decrypt').map(({ Condition }) => Condition),
        [{ StringEquals: { 'kms:EncryptionContext:purpose': ['webhook-secret'] } }],
      );
      assert.ok(!JSON.stringify(of('kms:Decrypt')).includes('DataKey'));
    });

    test(`${name} makes entries of its own group only, for a role that sends to the slow lane`, () => {
      const [entries] = of('scheduler:CreateSchedule');
      assert.match(JSON.stringify(entries?.Resource), /:schedule\/.*RetriesGroup.*\/\*/);
      assert.match(JSON.stringify(of('iam:PassRole')[0]?.Resource), /RetriesRole/);
      assert.match(JSON.stringify(statementsOf(named('RetriesRole'))), /SlowDeliveries/);
    });
  }

  test('each lane has a queue and a function of its own; a message is hidden for six times as long as a batch may take', () => {
    const lanes = ['DeliverFeed', 'DeliverSlowFeed'].map((feed) => named(feed).properties);
    assert.notDeepEqual(lanes[0]?.EventSourceArn, lanes[1]?.EventSourceArn);
    assert.notDeepEqual(lanes[0]?.FunctionName, lanes[1]?.FunctionName);
    for (const [fn, queue] of [
      ['Deliver', 'Deliveries'],
      ['DeliverSlow', 'SlowDeliveries'],
    ] as const) {
      // The longest request, and time around it.
      assert.ok(Number(named(fn).properties.Timeout) >= webhookTimeoutMsMax / 1_000 + 10);
      assert.ok(Number(named(queue).properties.VisibilityTimeout) >= 6 * Number(named(fn).properties.Timeout));
    }
  });
});

/** The engine's parts fit the code that runs in them, which it cannot import. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { auditPartition } from '../../shared/audit/index.ts';
import { enqueue } from '../../shared/event/index.ts';
import { organizationKey } from '../../shared/organization/record.ts';
import { proveTenant } from '../../shared/platform/index.ts';
import { resourcesOf, statementsOf, templatesOf } from '../support/template.ts';

const resources = resourcesOf(templatesOf());
/** By its name in the code; some get a digest after it. */
const named = (name: string) =>
  resources.find(({ stack, id }) => stack === 'Engine' && (id === name || id.replace(/[0-9A-F]{8}$/, '') === name))!;
const tenant = proveTenant('org_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'record');

interface Filter {
  readonly eventName: readonly string[];
  readonly dynamodb: { readonly Keys: { readonly sk: { readonly S: readonly [{ readonly prefix: string }] } } };
}

test('a task written by a transaction passes the filter of the stream, and nothing else does', () => {
  const { Filters } = named('FanOutFeed').properties.FilterCriteria as { Filters: readonly [{ Pattern: string }] };
  const { eventName, dynamodb } = JSON.parse(Filters[0].Pattern) as Filter;
  assert.deepEqual(eventName, ['INSERT']);
  const task = enqueue(tenant, { kind: 'purge-organization', deleteBackupData: false }, new Date(0));
  assert.ok('put' in task);
  const [{ prefix }] = dynamodb.Keys.sk.S;
  assert.ok(task.put.sk.startsWith(prefix));
  assert.ok(!'EVENT#'.startsWith(prefix));
});

suite('the partitions that permissions name are those the code writes to', () => {
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
  test('and no other', () => assert.deepEqual([...new Set(patterns)].sort(), ['AUDIT#*', 'RATE#*', 'SEEN#*']));
});

test('mail may be sent from the configured address and from no other, whatever SES asks for besides', () => {
  const statements = statementsOf(named('TaskRole')).filter(({ Action }) => Action.includes('ses:SendEmail'));
  assert.deepEqual(
    statements.map(({ Condition }) => Condition),
    [{ StringEquals: { 'ses:FromAddress': 'backups@mail.example.com' } }],
  );
});

test('the sweep runs every hour and what it could not do is put aside', () => {
  assert.equal(named('SweepClock').properties.ScheduleExpression, 'rate(1 hour)');
  assert.ok(named('SweepRetries').properties.DestinationConfig);
});

test('what reaches into buckets has a queue and a worker of its own, one message at a time, and may neither mail nor start anything', () => {
  const [task, chore] = [named('TaskFeed').properties, named('ChoreFeed').properties];
  assert.notDeepEqual(task.EventSourceArn, chore.EventSourceArn);
  assert.equal(chore.BatchSize, 1);
  const actionsOf = (role: string) => statementsOf(named(role)).flatMap(({ Action }) => Action);
  for (const action of ['ses:SendEmail', 'states:StartExecution', 'sqs:SendMessage'])
    assert.ok(!actionsOf('ChoreRole').includes(action), action);
  for (const action of ['sts:AssumeRole', 'kms:Encrypt', 'kms:GenerateDataKey'])
    assert.ok(!actionsOf('TaskRole').includes(action), action);
});

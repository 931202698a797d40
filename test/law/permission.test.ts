/** Laws over every role of the template: least privilege, and an audit log nobody can change. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'vitest';
import {
  functionOf,
  resourceAt,
  resourcesOf,
  statementsOf,
  templatesOf,
  type WantedFunction,
  wantedFunctions,
} from '../harness/law/templates.ts';

const resources = resourcesOf(templatesOf());
const roles = resources.filter((resource) => resource.type === 'AWS::IAM::Role');
const roleOf = (one: WantedFunction) => {
  const fn = functionOf(resources, one);
  return resourceAt(resources, fn.stack, fn.properties.Role);
};

/** The actions that may be granted on a pattern, each group with the reason; nothing may be granted on a pattern otherwise. */
const patterned: readonly { readonly actions: readonly string[]; readonly resources: RegExp; readonly reason: string }[] = [
  {
    actions: ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule', 'scheduler:DeleteSchedule'],
    resources: /:schedule\/.*\/\*/,
    reason: 'entries are named when they are made; the group is one of ours',
  },
  { actions: ['sts:AssumeRole'], resources: /iam::\*:role\/\*/, reason: 'customers’ roles are in their own accounts' },
  {
    actions: ['states:DescribeExecution', 'states:StopExecution'],
    resources: /execution:/,
    reason: 'executions are named when they start; the workflow is one of ours',
  },
  {
    actions: ['ses:SendEmail'],
    resources: /:(identity|configuration-set)\/\*/,
    reason: 'which identity SES asks for is the deployer’s choice; a condition holds the sender',
  },
  { actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: /^"\*"$/, reason: 'X-Ray has no resources' },
  { actions: ['xray:GetSamplingRules', 'xray:GetSamplingTargets'], resources: /^"\*"$/, reason: 'X-Ray has no resources' },
  {
    actions: [
      'logs:CreateLogDelivery',
      'logs:GetLogDelivery',
      'logs:UpdateLogDelivery',
      'logs:DeleteLogDelivery',
      'logs:ListLogDeliveries',
      'logs:PutResourcePolicy',
      'logs:DescribeResourcePolicies',
      'logs:DescribeLogGroups',
    ],
    resources: /^"\*"$/,
    reason: 'log deliveries have no resources; Step Functions creates no workflow that logs without these',
  },
];
const granted = roles.flatMap((role) => statementsOf(role).map((statement) => ({ role, statement })));

test('permissions are part of their role: no policy is attached from elsewhere', () => {
  for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'])
    assert.deepEqual(
      resources.filter((resource) => resource.type === type),
      [],
    );
  for (const { id, properties } of roles) assert.equal(properties.ManagedPolicyArns, undefined, id);
});

test('permissions never name all actions, nor a pattern of resources without a reason; no reason is left over', () => {
  const needed = new Set<string>();
  for (const { role, statement } of granted) {
    for (const action of statement.Action) assert.ok(!action.includes('*'), `${role.id}: ${action}`);
    if (statement.Effect === 'Deny') continue;
    for (const resource of statement.Resource.map((each) => JSON.stringify(each)).filter((text) => text.includes('*'))) {
      for (const action of statement.Action) {
        const accepted = patterned.find(({ actions, resources }) => actions.includes(action) && resources.test(resource));
        assert.ok(accepted, `${role.id}: ${action} on ${resource}`);
        needed.add(action);
      }
    }
  }
  assert.deepEqual(
    patterned.flatMap(({ actions }) => actions).filter((action) => !needed.has(action)),
    [],
  );
});

// The clocks of the service are entries, too, of the default group: whoever makes entries must not reach those.
test('entries of the Scheduler are made, changed and removed in groups of ours only', () => {
  const ofScheduler = granted.filter(({ statement }) => statement.Action.some((action) => action.startsWith('scheduler:')));
  const groups = resources.filter(({ type }) => type === 'AWS::Scheduler::ScheduleGroup').map(({ id }) => id);
  assert.equal(groups.length, 2);
  assert.ok(ofScheduler.length > 2);
  for (const { role, statement } of ofScheduler)
    for (const resource of statement.Resource)
      assert.ok(
        groups.some((group) => JSON.stringify(resource).includes(`":schedule/",{"Ref":"${group}"},"/*"`)),
        `${role.id}: ${JSON.stringify(resource)}`,
      );
});

/** Without the second half, a call that names no key would meet the first. */
const onlyIn = (...partitions: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

test('nobody but the purge can change or remove an audit entry', () => {
  const changing = ['dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'];
  const unguarded = roles.filter((role) => {
    const statements = statementsOf(role);
    const may = statements.some(
      ({ Effect, Action, Condition }) =>
        Effect === 'Allow' && Condition === undefined && Action.some((action) => changing.includes(action)),
    );
    const guarded = statements.some(
      ({ Effect, Action, Condition }) =>
        Effect === 'Deny' &&
        ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'].every((action) => Action.includes(action)) &&
        isDeepStrictEqual(Condition, onlyIn('AUDIT#*')),
    );
    return may && !guarded;
  });
  assert.deepEqual(
    unguarded.map(({ id }) => id.replace(/[0-9A-F]{8}$/, '')),
    ['PurgeRole'],
  );
});

test('a function that only reads may write to no partition but the counters, one that sends to none but the deliveries', () => {
  for (const { capabilities, ...one } of wantedFunctions) {
    if (capabilities.some((use) => use === 'table:write' || use === 'table:purge')) continue;
    const isSending = capabilities.includes('delivery:keep');
    for (const { Action, Condition } of statementsOf(roleOf({ ...one, capabilities }))) {
      const writing = Action.filter((action) => /^dynamodb:(Put|Update|Delete|BatchWrite)/.test(action));
      if (writing.length === 0) continue;
      assert.deepEqual(writing, isSending ? ['dynamodb:PutItem', 'dynamodb:UpdateItem'] : ['dynamodb:UpdateItem'], one.name);
      assert.deepEqual(Condition, isSending ? onlyIn('DELIVERY#*') : onlyIn('RATE#*', 'SEEN#*'), one.name);
    }
  }
});

test('a role of ours is handed to the Scheduler only, and it can do nothing but send to two queues', () => {
  const passing = granted.filter(({ statement }) => statement.Action.includes('iam:PassRole'));
  assert.ok(passing.length > 0);
  for (const { role, statement } of passing) {
    assert.deepEqual(statement.Condition, { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } }, role.id);
    for (const passed of statement.Resource)
      assert.deepEqual(
        statementsOf(resourceAt(resources, role.stack, passed)).map(({ Action, Resource }) => [Action, Resource.length]),
        [[['sqs:SendMessage'], 2]],
      );
  }
});

test('only functions that sign may use the private half of the token key', () => {
  const signers = wantedFunctions.filter((one) => {
    return statementsOf(roleOf(one)).some(({ Action }) => Action.includes('kms:Sign'));
  });
  assert.deepEqual(
    signers.map(({ name }) => name).sort(),
    wantedFunctions
      .filter(({ capabilities }) => capabilities.includes('token:sign'))
      .map(({ name }) => name)
      .sort(),
  );
});

test('roles are taken in other accounts only, and without an ExternalId only to see that they do not open', () => {
  const elsewhere = { StringNotEquals: { 'aws:ResourceAccount': { Ref: 'AWS::AccountId' } } };
  const takers = wantedFunctions.filter((one) => {
    const taking = statementsOf(roleOf(one)).filter(({ Action }) => Action.includes('sts:AssumeRole'));
    const isTrying = one.name.startsWith('storageDestinations.');
    for (const { Condition } of taking)
      assert.deepEqual(Condition, isTrying ? elsewhere : { ...elsewhere, Null: { 'sts:ExternalId': 'false' } }, one.name);
    return taking.length > 0;
  });
  assert.ok(takers.some(({ name }) => name === 'storageDestinations.test') && takers.length > 8);
});

test('what the secrets key seals or opens for a function is for a purpose that is named', () => {
  const [secretsKey] = resources.filter(({ type, id }) => type === 'AWS::KMS::Key' && id.startsWith('SecretsKey'));
  assert.ok(secretsKey);
  let count = 0;
  for (const { role, statement } of granted) {
    const isSealing = statement.Action.some((action) => action === 'kms:Encrypt' || action === 'kms:Decrypt');
    if (!isSealing || !JSON.stringify(statement.Resource).includes(secretsKey.id)) continue;
    const keys = Object.keys((statement.Condition as { StringEquals?: object } | undefined)?.StringEquals ?? {});
    assert.ok(
      keys.includes('kms:EncryptionContext:purpose') || keys.includes('kms:EncryptionContext:SecretARN'),
      `${role.id}: ${JSON.stringify(statement)}`,
    );
    count += 1;
  }
  assert.ok(count > 20, String(count));
});

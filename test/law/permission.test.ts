/** Laws about all roles of the template: least privilege, and an immutable audit log. */
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

/** The actions that may be granted on a pattern, with the reason. No other pattern is allowed. */
const patterned: readonly { readonly actions: readonly string[]; readonly resources: RegExp; readonly reason: string }[] = [
  {
    actions: ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule', 'scheduler:DeleteSchedule'],
    resources: /:schedule\/.*\/\*/,
    reason: 'schedules are created at run time, in a group of the service',
  },
  {
    actions: ['sts:AssumeRole'],
    resources: /iam::\*:role\/\*|:role\/backup-destination\/\*/,
    reason: 'customers’ roles are in their own accounts, or in this one below one path',
  },
  {
    actions: ['states:DescribeExecution', 'states:StopExecution'],
    resources: /execution:/,
    reason: 'executions are started at run time, of a workflow of the service',
  },
  {
    actions: ['ses:SendEmail'],
    resources: /:(identity|configuration-set)\/\*/,
    reason: 'the SES identity is the deployer’s choice; a condition restricts the sender',
  },
  { actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: /^"\*"$/, reason: 'X-Ray has no resource ARNs' },
  { actions: ['xray:GetSamplingRules', 'xray:GetSamplingTargets'], resources: /^"\*"$/, reason: 'X-Ray has no resource ARNs' },
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
    reason: 'log delivery has no resource ARNs; Step Functions requires these for logging',
  },
];
const granted = roles.flatMap((role) => statementsOf(role).map((statement) => ({ role, statement })));

test('permissions: all are inline in their role', () => {
  for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'])
    assert.deepEqual(
      resources.filter((resource) => resource.type === type),
      [],
    );
  for (const { id, properties } of roles) assert.equal(properties.ManagedPolicyArns, undefined, id);
});

test('permissions: none is for all actions or a pattern of resources without a reason; every reason is needed', () => {
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

// Periodic triggers are schedules of the default group, which functions must not reach.
test('permissions: schedules are created, changed and deleted in groups of the service only', () => {
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

/** Without the second part, a call without a key would satisfy the first. */
const onlyIn = (...partitions: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

test('permissions: only the purge can change or delete an audit entry', () => {
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

test('permissions: a read-only function writes counters or the schema only, and a sender writes deliveries only', () => {
  for (const { capabilities, ...one } of wantedFunctions) {
    if (capabilities.some((use) => use === 'table:write' || use === 'table:purge')) continue;
    const isSending = capabilities.includes('delivery:keep');
    const others = capabilities.includes('schema:raise') ? onlyIn('SCHEMA') : onlyIn('RATE#*', 'SEEN#*');
    for (const { Action, Condition } of statementsOf(roleOf({ ...one, capabilities }))) {
      const writing = Action.filter((action) => /^dynamodb:(Put|Update|Delete|BatchWrite)/.test(action));
      if (writing.length === 0) continue;
      assert.deepEqual(writing, isSending ? ['dynamodb:PutItem', 'dynamodb:UpdateItem'] : ['dynamodb:UpdateItem'], one.name);
      assert.deepEqual(Condition, isSending ? onlyIn('DELIVERY#*') : others, one.name);
    }
  }
});

test('permissions: a role is passed to the Scheduler only, and it can only send to two queues', () => {
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

for (const [key, capability] of [
  ['TokenKey', 'token:sign'],
  ['EvidenceKey', 'evidence:sign'],
] as const)
  test(`permissions: only functions with ${capability} may use the private half of ${key}`, () => {
    const signers = wantedFunctions.filter((one) =>
      statementsOf(roleOf(one)).some(
        ({ Action, Resource }) => Action.includes('kms:Sign') && JSON.stringify(Resource).includes(key),
      ),
    );
    assert.deepEqual(
      signers.map(({ name }) => name).sort(),
      wantedFunctions
        .filter(({ capabilities }) => capabilities.includes(capability))
        .map(({ name }) => name)
        .sort(),
    );
    assert.ok(signers.length > 0);
  });

test('permissions: functions that use sources or buckets, and no others, assume the role that Google trusts', () => {
  const takers = wantedFunctions.filter((one) =>
    statementsOf(roleOf(one)).some((statement) => statement.Action.includes('sts:AssumeRole') && isGoogleRole(statement)),
  );
  assert.deepEqual(
    takers.map(({ name }) => name).sort(),
    wantedFunctions
      .filter(({ capabilities }) =>
        ['source:read', 'destination:use', 'destination:probe'].some((use) => (capabilities as readonly string[]).includes(use)),
      )
      .map(({ name }) => name)
      .sort(),
  );
});

test('permissions: roles are assumed in other accounts or below one path, and without an ExternalId only by the probe', () => {
  const elsewhere = { StringNotEquals: { 'aws:ResourceAccount': { Ref: 'AWS::AccountId' } } };
  const takers = wantedFunctions.filter((one) => {
    const taking = statementsOf(roleOf(one)).filter(
      (statement) => statement.Action.includes('sts:AssumeRole') && !isGoogleRole(statement),
    );
    const isTrying = one.name.startsWith('storageDestinations.');
    const required = isTrying ? {} : { Null: { 'sts:ExternalId': 'false' } };
    for (const { Condition = {}, Resource } of taking) {
      const isOwn = JSON.stringify(Resource).includes(':role/backup-destination/*');
      assert.deepEqual(Condition, isOwn ? required : { ...elsewhere, ...required }, one.name);
    }
    return taking.length > 0;
  });
  assert.ok(takers.some(({ name }) => name === 'storageDestinations.test') && takers.length > 8);
});

test('permissions: the secrets key is used with a named purpose only', () => {
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

function isGoogleRole({ Resource }: { readonly Resource?: unknown }): boolean {
  return JSON.stringify(Resource).includes('GoogleRole');
}

/** Policy simulation for all roles of the template: what a stolen role must not be able to do. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { account, region } from '../../infra/local/base/types.ts';
import { evaluatePolicy } from '../../infra/local/iam/evaluate-policy.ts';
import { readRoles } from '../../infra/local/iam/roles.ts';
import { templateResources } from '../../infra/local/unused-permissions/granted.ts';

const resources = await templateResources();
const statementsOf = readRoles(resources);
const ofType = (type: string) => resources.filter((resource) => resource.type === type);
const arnsOf = (type: string): readonly string[] => ofType(type).map(({ arn }) => arn);
const arnOf = (type: string, id: RegExp): string => {
  const [found, ...more] = ofType(type).filter(({ logicalId }) => id.test(logicalId));
  assert.ok(found && more.length === 0, String(id));
  return found.arn;
};

type Keys = Readonly<Record<string, readonly string[]>>;

const roles = ofType('AWS::IAM::Role');
/** The names of the roles that are allowed. */
const whoMay = (action: string, resource: string, keys: Keys = {}): readonly string[] =>
  roles
    .filter(({ arn }) => evaluatePolicy(statementsOf(arn) ?? [], { action, resources: [resource], keys }) === 'allowed')
    .map(({ logicalId }) => logicalId.replace(/Role[0-9A-F]{8}$/, ''))
    .sort();

const table = arnOf('AWS::DynamoDB::Table', /^Table/);
const secretsKey = arnOf('AWS::KMS::Key', /^SecretsKey/);
const dataKey = arnOf('AWS::KMS::Key', /^DataKey/);
const leading = (key: string): Keys => ({ 'dynamodb:LeadingKeys': [key] });
const purpose = (name: string): Keys => ({ 'kms:EncryptionContext:purpose': [name] });
const customersRole = 'arn:aws:iam::999988887777:role/backups';
const withExternalId: Keys = { 'sts:ExternalId': ['anything'] };

test('simulation: it sees the grants: roles exist, and some have their permissions', () => {
  assert.ok(roles.length > 100);
  assert.ok(whoMay('dynamodb:PutItem', table, leading('ORG#1')).length > 30);
  assert.deepEqual(whoMay('dynamodb:DescribeTable', table), ['SystemHealth']);
});

/** Allowed to no role, for resources of the template or any other. */
const never: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': [
    'dynamodb:DeleteTable',
    'dynamodb:UpdateTable',
    'dynamodb:UpdateTimeToLive',
    'dynamodb:UpdateContinuousBackups',
    'dynamodb:RestoreTableToPointInTime',
    'dynamodb:ExportTableToPointInTime',
    'dynamodb:PutResourcePolicy',
    'dynamodb:Scan',
    'dynamodb:PartiQLSelect',
    'dynamodb:PartiQLDelete',
  ],
  'AWS::KMS::Key': [
    'kms:ScheduleKeyDeletion',
    'kms:DisableKey',
    'kms:DisableKeyRotation',
    'kms:PutKeyPolicy',
    'kms:CreateGrant',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ],
  'AWS::SecretsManager::Secret': [
    'secretsmanager:PutSecretValue',
    'secretsmanager:UpdateSecret',
    'secretsmanager:DeleteSecret',
    'secretsmanager:PutResourcePolicy',
  ],
  'AWS::SQS::Queue': ['sqs:DeleteQueue', 'sqs:PurgeQueue', 'sqs:SetQueueAttributes', 'sqs:AddPermission'],
  'AWS::Lambda::Function': ['lambda:UpdateFunctionCode', 'lambda:UpdateFunctionConfiguration', 'lambda:AddPermission'],
  'AWS::IAM::Role': ['iam:PutRolePolicy', 'iam:AttachRolePolicy', 'iam:UpdateAssumeRolePolicy', 'sts:AssumeRole'],
  'AWS::StepFunctions::StateMachine': ['states:UpdateStateMachine', 'states:DeleteStateMachine'],
  // Periodic triggers; customers' schedules are in their own groups.
  'AWS::Scheduler::Schedule': ['scheduler:UpdateSchedule', 'scheduler:DeleteSchedule', 'scheduler:CreateSchedule'],
  'AWS::Logs::LogGroup': ['logs:DeleteLogGroup', 'logs:DeleteLogStream', 'logs:PutRetentionPolicy', 'logs:DeleteRetentionPolicy'],
  'AWS::SNS::Topic': ['sns:Publish', 'sns:DeleteTopic'],
};

describe('no role may', () => {
  for (const [type, actions] of Object.entries(never)) {
    for (const action of actions) {
      test(`${action} any ${type}`, () => {
        // Functions that read sources assume the role that Google trusts (permission.test.ts); it may do nothing.
        const targets = arnsOf(type).filter((arn) => action !== 'sts:AssumeRole' || !arn.includes('-google-'));
        assert.ok(targets.length > 0);
        for (const target of [...targets, '*']) assert.deepEqual(whoMay(action, target, withExternalId), [], target);
      });
    }
  }

  // Customers give credentials or a role; their buckets and object versions are out of reach of the service's roles.
  for (const action of [
    's3:GetObject',
    's3:PutObject',
    's3:DeleteObject',
    's3:DeleteObjectVersion',
    's3:BypassGovernanceRetention',
    's3:PutBucketVersioning',
    's3:PutLifecycleConfiguration',
  ])
    test(`${action} in any bucket`, () => {
      for (const bucket of ['arn:aws:s3:::customers', 'arn:aws:s3:::customers/backups/object'])
        assert.deepEqual(whoMay(action, bucket), []);
    });

  test('use a key outside the template', () => {
    const other = `arn:aws:kms:${region}:${account}:key/00000000-0000-0000-0000-000000000000`;
    for (const action of ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:Sign', 'kms:GetPublicKey'])
      assert.deepEqual(whoMay(action, other, purpose('passphrase')), []);
  });

  test('use the secrets key without a purpose, or with an unknown one', () => {
    for (const action of ['kms:Decrypt', 'kms:Encrypt'])
      for (const keys of [{}, purpose('anything')]) assert.deepEqual(whoMay(action, secretsKey, keys), []);
  });
});

describe('a function that calls customers’ endpoints', () => {
  const strangers = ['Deliver', 'DeliverRetry', 'EventMatch'];
  const among = (names: readonly string[]): readonly string[] => names.filter((name) => strangers.includes(name));

  test('assumes no customer role, with or without ExternalId', () => {
    for (const keys of [{}, withExternalId]) assert.deepEqual(among(whoMay('sts:AssumeRole', customersRole, keys)), []);
  });

  test('decrypts webhook secrets only, and no data key', () => {
    for (const name of ['provider-grant', 'source-credentials', 'destination-credentials', 'passphrase'])
      assert.deepEqual(among(whoMay('kms:Decrypt', secretsKey, purpose(name))), []);
    assert.deepEqual(among(whoMay('kms:Decrypt', dataKey)), []);
    assert.deepEqual(among(whoMay('kms:Decrypt', secretsKey, purpose('webhook-secret'))), ['Deliver', 'DeliverRetry']);
    for (const secret of arnsOf('AWS::SecretsManager::Secret'))
      assert.deepEqual(among(whoMay('secretsmanager:GetSecretValue', secret)), []);
  });

  test('reads no user, session, key or audit entry, and changes nothing of an organization', () => {
    for (const partition of ['USER#1', 'SESSION#1', 'AUDIT#1', 'EMAIL#1', 'RATE#1'])
      for (const action of ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem'])
        assert.deepEqual(among(whoMay(action, table, leading(partition))), [], partition);
    for (const action of ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'])
      assert.deepEqual(among(whoMay(action, table, leading('ORG#1'))), []);
  });
});

test('simulation: a customer’s role is assumed without ExternalId only by the probe', () => {
  const tried = ['StorageDestinationsCreate', 'StorageDestinationsTest', 'StorageDestinationsUpdate'];
  assert.deepEqual(whoMay('sts:AssumeRole', customersRole), tried);
  assert.ok(whoMay('sts:AssumeRole', customersRole, withExternalId).length > tried.length);
});

test('simulation: audit entries cannot be changed, and only the purge deletes them', () => {
  assert.deepEqual(whoMay('dynamodb:UpdateItem', table, leading('AUDIT#1')), []);
  assert.deepEqual(whoMay('dynamodb:DeleteItem', table, leading('AUDIT#1')), ['Purge']);
});

test('simulation: each kind of customer secret is encrypted only where it is received', () => {
  const sealers = (name: string): readonly string[] => whoMay('kms:Encrypt', secretsKey, purpose(name));
  assert.deepEqual(sealers('passphrase'), ['EncryptionSet']);
  assert.deepEqual(sealers('destination-credentials'), [
    'ProjectsUpdate',
    'StorageDestinationsCreate',
    'StorageDestinationsUpdate',
  ]);
  assert.deepEqual(sealers('source-credentials'), ['ProjectsCreate', 'ProjectsReconnect', 'ProjectsUpdate']);
});

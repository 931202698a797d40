/**
 * Grants permissions and configuration together: each capability has IAM statements and exactly its variables.
 * Both maps are total over `capabilities`, so a capability without a grant, or a grant without its variable, does not compile.
 */
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Capability } from '../../../shared/contract/capabilities.ts';
import {
  allow,
  assumeCustomerRoles,
  decryptFor,
  encryptFor,
  executionsOf,
  leadingKeysLike,
  passRoleTo,
  readActions,
  readSecret,
  schedulesOf,
} from '../allow.ts';
import type { QueueName } from '../trigger/work-queue-specs.ts';
import { variables } from './capability-variables.ts';
import type { ResourceNames } from './resource-names.ts';

interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Everything these capabilities need, each variable once. */
export const grant = (parts: ResourceNames, wanted: readonly Capability[]): Grant => {
  const chosen = [...new Set(wanted)];
  return {
    statements: chosen.flatMap((use) => permissions[use](parts)),
    variables: Object.assign({}, ...chosen.map((use) => variables(parts)[use])),
  };
};

/** Whether a capability includes the permission to assume the role that Google trusts. */
export const usesGoogleRole = (use: Capability): boolean => googleUsers.includes(use);
const googleUsers: readonly Capability[] = ['source:read', 'destination:use', 'destination:probe'];

type Permissions = (parts: ResourceNames) => readonly PolicyStatement[];
type WorkflowArn = `${'purge' | 'backup' | 'verify' | 'restore' | 'restoreTest' | 'export'}WorkflowArn`;

const sendTo =
  (...names: readonly QueueName[]): Permissions =>
  ({ queues }) => [
    allow(
      ['sqs:SendMessage'],
      names.map((name) => queues[name].queueArn),
    ),
  ];

const startWorkflow =
  (name: WorkflowArn): Permissions =>
  (parts) => [allow(['states:StartExecution'], [parts[name]])];

const watchWorkflow =
  (name: WorkflowArn): Permissions =>
  (parts) => [allow(['states:DescribeExecution', 'states:StopExecution'], [executionsOf(parts[name])])];

const permissions: Readonly<Record<Capability, Permissions>> = {
  'table:read-only': ({ tableArn }) => [allow(readActions, [tableArn])],
  'table:read': ({ tableArn }) => [
    allow(readActions, [tableArn]),
    // Rate counts and lastSeenAt are the only writes of a read-only function.
    allow(['dynamodb:UpdateItem'], [tableArn], leadingKeysLike('RATE#*', 'SEEN#*')),
  ],
  // A transaction is authorized by its operations.
  'table:write': ({ tableArn }) => [
    allow(
      [...readActions, 'dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      [tableArn],
    ),
    // Every operation has one leading key, so ForAllValues tests exactly that key. To IAM a Put that replaces equals one that
    // creates: audit entries are protected by the condition of the Put and by their unique keys.
    new PolicyStatement({
      effect: Effect.DENY,
      actions: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      resources: [tableArn],
      conditions: leadingKeysLike('AUDIT#*'),
    }),
  ],
  'table:purge': ({ tableArn }) => [allow([...readActions, 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'], [tableArn])],
  'token:verify': ({ tokenKeyArns }) => [allow(['kms:GetPublicKey'], tokenKeyArns)],
  'token:sign': ({ tokenKeyArns }) => [allow(['kms:GetPublicKey'], tokenKeyArns), allow(['kms:Sign'], [tokenKeyArns[0]])],
  'evidence:publish': ({ evidenceKeyArns }) => [allow(['kms:GetPublicKey'], evidenceKeyArns)],
  'evidence:sign': ({ evidenceKeyArns: [current] }) => [allow(['kms:GetPublicKey', 'kms:Sign'], [current])],
  'secret:service': ({ serviceSecretArn, secretsKeyArn }) => readSecret(serviceSecretArn, secretsKeyArn),
  'identity:refer': () => [],
  'identity:client': ({ identitySecretArn, secretsKeyArn }) => readSecret(identitySecretArn, secretsKeyArn),
  'grant:seal': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'provider-grant')],
  'source:seal': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'source-credentials')],
  'destination:seal': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'destination-credentials')],
  'passphrase:seal': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'passphrase')],
  'move:seal': ({ secretsKeyArn }) => [
    decryptFor(secretsKeyArn, 'source-credentials', 'destination-credentials'),
    encryptFor(secretsKeyArn, 'source-credentials', 'destination-credentials'),
  ],
  // The encryption context restricts decryption to the function's purpose.
  'source:read': ({ identitySecretArn, secretsKeyArn, googleRoleArn }) => [
    ...readSecret(identitySecretArn, secretsKeyArn),
    decryptFor(secretsKeyArn, 'provider-grant', 'source-credentials'),
    // A provider may rotate the refresh token at each use.
    encryptFor(secretsKeyArn, 'provider-grant'),
    allow(['sts:AssumeRole'], [googleRoleArn]),
  ],
  'google:name': () => [],
  'destination:use': ({ secretsKeyArn, googleRoleArn }) => [
    decryptFor(secretsKeyArn, 'destination-credentials'),
    allow(['sts:AssumeRole'], [googleRoleArn]),
    ...assumeCustomerRoles({ Null: { 'sts:ExternalId': 'false' } }),
  ],
  // A role that can be assumed without the ExternalId is rejected, so the probe has to try it.
  'destination:probe': ({ googleRoleArn }) => [allow(['sts:AssumeRole'], [googleRoleArn]), ...assumeCustomerRoles()],
  'destination:open': ({ secretsKeyArn }) => [decryptFor(secretsKeyArn, 'destination-credentials')],
  'data-key:name': () => [],
  'data-key:make': ({ dataKeyArns: [current], secretsKeyArn }) => [
    allow(['kms:GenerateDataKey'], [current]),
    decryptFor(secretsKeyArn, 'passphrase'),
  ],
  'data-key:open': ({ dataKeyArns, secretsKeyArn }) => [
    allow(['kms:Decrypt'], dataKeyArns),
    decryptFor(secretsKeyArn, 'passphrase'),
  ],
  'backup:start': startWorkflow('backupWorkflowArn'),
  'backup:watch': watchWorkflow('backupWorkflowArn'),
  'verify:start': startWorkflow('verifyWorkflowArn'),
  'restore:start': startWorkflow('restoreWorkflowArn'),
  'restore:watch': watchWorkflow('restoreWorkflowArn'),
  'restore-test:start': startWorkflow('restoreTestWorkflowArn'),
  'restore-test:watch': watchWorkflow('restoreTestWorkflowArn'),
  'export:start': startWorkflow('exportWorkflowArn'),
  'export:watch': watchWorkflow('exportWorkflowArn'),
  'restore-test:seal': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'restore-test-check')],
  'restore-test:send': ({ secretsKeyArn }) => [decryptFor(secretsKeyArn, 'restore-test-check')],
  'task:send': sendTo('task'),
  'bucket-work:send': sendTo('bucketWork'),
  'event-match:send': sendTo('eventMatch'),
  'webhook:seal': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'webhook-secret', 'webhook-url')],
  'webhook:seal-url': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'webhook-url')],
  'webhook:open': ({ secretsKeyArn }) => [decryptFor(secretsKeyArn, 'webhook-url')],
  'webhook:send': ({ secretsKeyArn }) => [decryptFor(secretsKeyArn, 'webhook-secret', 'webhook-url')],
  'alert:seal': ({ secretsKeyArn }) => [encryptFor(secretsKeyArn, 'alert-secret')],
  'alert:send': ({ secretsKeyArn }) => [decryptFor(secretsKeyArn, 'alert-secret')],
  // A function that calls customers' endpoints may be compromised by one. It reads no sessions, keys or audit entries, and writes
  // only the outcome of deliveries. Every key of a batch must be in these partitions.
  'delivery:keep': ({ tableArn }) => [
    allow(readActions, [tableArn], leadingKeysLike('ORG#*', 'DELIVERY#*')),
    allow(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [tableArn], leadingKeysLike('DELIVERY#*')),
  ],
  'delivery:send': sendTo('delivery', 'deliveryRetry'),
  'delivery:retry': sendTo('deliveryRetry'),
  'delivery:later': ({ retries }) => [
    allow(['scheduler:CreateSchedule'], [schedulesOf(retries.groupName)]),
    passRoleTo('scheduler.amazonaws.com', retries.roleArn),
  ],
  'schedule:send': sendTo('schedule'),
  'schedule:enter': ({ ticks }) => [
    allow(['scheduler:CreateSchedule', 'scheduler:UpdateSchedule', 'scheduler:DeleteSchedule'], [schedulesOf(ticks.groupName)]),
    passRoleTo('scheduler.amazonaws.com', ticks.roleArn),
  ],
  'schedule:remove': ({ ticks }) => [allow(['scheduler:DeleteSchedule'], [schedulesOf(ticks.groupName)])],
  'capture:send': sendTo('capture'),
  'capture-audit:send': sendTo('captureAudit'),
  'incident:send': sendTo('incident'),
  'alert-delivery:send': sendTo('alertDelivery'),
  // SES may check the address, its domain or a parent domain, the recipient (in the sandbox) and the configuration set, so the
  // condition restricts the sender. Without a sender nothing is allowed.
  'mail:send': ({ mailArns, settings: { MAIL_FROM } }) =>
    MAIL_FROM === '' ? [] : [allow(['ses:SendEmail'], mailArns, { StringEquals: { 'ses:FromAddress': MAIL_FROM } })],
  'link:make': () => [],
  'purge:start': startWorkflow('purgeWorkflowArn'),
  'schema:read': ({ tableArn }) => [allow(['dynamodb:BatchGetItem'], [tableArn], leadingKeysLike('SCHEMA'))],
  'schema:raise': ({ tableArn }) => [allow(['dynamodb:UpdateItem'], [tableArn], leadingKeysLike('SCHEMA'))],
  'health:check': ({ tableArn, queues }) => [
    allow(['dynamodb:DescribeTable'], [tableArn]),
    allow(['dynamodb:BatchGetItem'], [tableArn], leadingKeysLike('SCHEMA')),
    allow(['sqs:GetQueueAttributes'], [queues.task.queueArn]),
  ],
};

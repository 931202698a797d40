/**
 * Permission and configuration are granted together: for each use its IAM statements and exactly its variables.
 * Both maps are total over `uses`, so a new use without a grant, or a grant without its variable, does not compile.
 */
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Use, uses, Variable } from '../../shared/contract/uses.ts';
import { allow, executionsOf, leadingKeysLike, openSealed, reading, readSecret, sealFor, takeRoles } from './statement.ts';

/** What the stacks are made of, as the grants need to name it. */
export interface Parts {
  readonly tableName: string;
  readonly tableArn: string;
  /** The first signs; all verify. */
  readonly tokenKeyArns: readonly [string, ...string[]];
  readonly secretsKeyArn: string;
  /** Wraps the data keys of backups. */
  readonly dataKeyArn: string;
  readonly serviceSecretArn: string;
  readonly identitySecretArn: string;
  readonly taskQueueUrl: string;
  readonly taskQueueArn: string;
  readonly choreQueueUrl: string;
  readonly choreQueueArn: string;
  readonly purgeWorkflowArn: string;
  readonly backupWorkflowArn: string;
  readonly verifyWorkflowArn: string;
  readonly restoreWorkflowArn: string;
  /** Every SES identity and configuration set of the account. */
  readonly mailArns: readonly string[];
  /** The values that need no permission. */
  readonly settings: Readonly<Record<Exclude<Variable, keyof Named>, string>>;
}

type Variables<U extends Use> = Readonly<Record<(typeof uses)[U][number], string>>;

export interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly variables: Readonly<Record<string, string>>;
}

/** All that these uses bring, each variable once. */
export const grant = (parts: Parts, wanted: readonly Use[]): Grant => {
  const chosen = [...new Set(wanted)];
  return {
    statements: chosen.flatMap((use) => permissions[use](parts)),
    variables: Object.assign({}, ...chosen.map((use) => variables(parts)[use])),
  };
};

const permissions: Readonly<Record<Use, (parts: Parts) => readonly PolicyStatement[]>> = {
  'table:read': ({ tableArn }) => [
    allow(reading, [tableArn]),
    // Counting requests and noting who was seen is all a read-only function may write.
    allow(['dynamodb:UpdateItem'], [tableArn], leadingKeysLike('RATE#*', 'SEEN#*')),
  ],
  // A transaction is authorized by the operations inside it.
  'table:write': ({ tableArn }) => [
    allow(
      [...reading, 'dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      [tableArn],
    ),
    // Every operation has one leading key, so "all values" is that key. A Put that replaces looks to IAM like one that creates:
    // what keeps an audit entry from being replaced is the condition of the Put, and that its key is new.
    new PolicyStatement({
      effect: Effect.DENY,
      actions: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      resources: [tableArn],
      conditions: leadingKeysLike('AUDIT#*'),
    }),
  ],
  'table:purge': ({ tableArn }) => [allow([...reading, 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'], [tableArn])],
  'token:verify': ({ tokenKeyArns }) => [allow(['kms:GetPublicKey'], tokenKeyArns)],
  'token:sign': ({ tokenKeyArns }) => [allow(['kms:GetPublicKey'], tokenKeyArns), allow(['kms:Sign'], [tokenKeyArns[0]])],
  'secret:service': ({ serviceSecretArn, secretsKeyArn }) => readSecret(serviceSecretArn, secretsKeyArn),
  'identity:client': ({ identitySecretArn, secretsKeyArn }) => readSecret(identitySecretArn, secretsKeyArn),
  'grant:seal': ({ secretsKeyArn }) => [
    sealFor(secretsKeyArn, 'provider-grant', 'source-credentials', 'destination-credentials', 'passphrase'),
  ],
  // What a function opens is held to its purpose by the context it was sealed with.
  'source:read': ({ identitySecretArn, secretsKeyArn }) => [
    ...readSecret(identitySecretArn, secretsKeyArn),
    openSealed(secretsKeyArn, 'provider-grant', 'source-credentials'),
    // A provider may give a new refresh token with each use.
    sealFor(secretsKeyArn, 'provider-grant'),
  ],
  'destination:use': ({ secretsKeyArn }) => [
    openSealed(secretsKeyArn, 'destination-credentials'),
    takeRoles({ Null: { 'sts:ExternalId': 'false' } }),
  ],
  // A role that lets us in without the ExternalId is refused, which has to be tried.
  'destination:probe': ({ secretsKeyArn }) => [openSealed(secretsKeyArn, 'destination-credentials'), takeRoles()],
  'data-key:name': () => [],
  'data-key:make': ({ dataKeyArn, secretsKeyArn }) => [
    allow(['kms:GenerateDataKey', 'kms:Encrypt'], [dataKeyArn]),
    openSealed(secretsKeyArn, 'passphrase'),
  ],
  'data-key:open': ({ dataKeyArn, secretsKeyArn }) => [
    allow(['kms:Decrypt'], [dataKeyArn]),
    openSealed(secretsKeyArn, 'passphrase'),
  ],
  'backup:start': ({ backupWorkflowArn }) => [allow(['states:StartExecution'], [backupWorkflowArn])],
  'backup:watch': ({ backupWorkflowArn }) => [
    allow(['states:DescribeExecution', 'states:StopExecution'], [executionsOf(backupWorkflowArn)]),
  ],
  'verify:start': ({ verifyWorkflowArn }) => [allow(['states:StartExecution'], [verifyWorkflowArn])],
  'restore:start': ({ restoreWorkflowArn }) => [allow(['states:StartExecution'], [restoreWorkflowArn])],
  'restore:watch': ({ restoreWorkflowArn }) => [
    allow(['states:DescribeExecution', 'states:StopExecution'], [executionsOf(restoreWorkflowArn)]),
  ],
  'task:send': ({ taskQueueArn }) => [allow(['sqs:SendMessage'], [taskQueueArn])],
  'chore:send': ({ choreQueueArn }) => [allow(['sqs:SendMessage'], [choreQueueArn])],
  // SES may ask for the address, its domain or a parent of it, the recipient (in the sandbox) and the default configuration
  // set: the sender is what is held fast.
  'mail:send': ({ mailArns, settings }) => [
    allow(['ses:SendEmail'], mailArns, { StringEquals: { 'ses:FromAddress': settings.MAIL_FROM } }),
  ],
  'link:make': () => [],
  'purge:start': ({ purgeWorkflowArn }) => [allow(['states:StartExecution'], [purgeWorkflowArn])],
  'health:check': ({ tableArn, taskQueueArn }) => [
    allow(['dynamodb:DescribeTable'], [tableArn]),
    allow(['sqs:GetQueueAttributes'], [taskQueueArn]),
  ],
};

/** The variables that name a resource; a setting is every other one. */
interface Named {
  readonly TABLE_NAME: string;
  readonly TOKEN_KEY_IDS: string;
  readonly SERVICE_SECRET_ID: string;
  readonly IDENTITY_SECRET_ID: string;
  readonly SECRETS_KEY_ID: string;
  readonly TASK_QUEUE_URL: string;
  readonly CHORE_QUEUE_URL: string;
  readonly PURGE_WORKFLOW_ARN: string;
  readonly BACKUP_WORKFLOW_ARN: string;
  readonly VERIFY_WORKFLOW_ARN: string;
  readonly RESTORE_WORKFLOW_ARN: string;
  readonly DATA_KEY_ID: string;
}

const variables = (parts: Parts): { readonly [U in Use]: Variables<U> } => {
  const table = { TABLE_NAME: parts.tableName };
  const { PLAN, REQUESTS_PER_MINUTE, AUDIT_RETENTION_DAYS, PUBLIC_URL, ALLOWED_ORIGINS, MAIL_FROM, SERVICE_VERSION } =
    parts.settings;
  const tokens = { TOKEN_KEY_IDS: parts.tokenKeyArns.join(','), PUBLIC_URL };
  const { IDENTITY_ISSUER, IDENTITY_CLIENT_ID, ALLOWED_REDIRECT_URIS, CONSOLE_URL } = parts.settings;
  const { FIRESTORE_URL, IDENTITY_TOOLKIT_URL, GOOGLE_TOKEN_URL, S3_URL, SPACES_URL, GCS_URL, PRIVATE_HOSTS } = parts.settings;
  const identity = { IDENTITY_ISSUER, IDENTITY_CLIENT_ID, IDENTITY_SECRET_ID: parts.identitySecretArn };
  const dataKey = { DATA_KEY_ID: parts.dataKeyArn };
  const secrets = { SECRETS_KEY_ID: parts.secretsKeyArn };
  const destination = { S3_URL, SPACES_URL, GCS_URL, GOOGLE_TOKEN_URL, PRIVATE_HOSTS, ...secrets };
  return {
    'table:read': { ...table, REQUESTS_PER_MINUTE, PLAN },
    'table:write': { ...table, REQUESTS_PER_MINUTE, PLAN, AUDIT_RETENTION_DAYS },
    'table:purge': table,
    'token:verify': { ...tokens, ALLOWED_ORIGINS },
    'token:sign': tokens,
    'secret:service': { SERVICE_SECRET_ID: parts.serviceSecretArn },
    'identity:client': { ...identity, ALLOWED_REDIRECT_URIS, CONSOLE_URL, PUBLIC_URL },
    'grant:seal': secrets,
    'source:read': { FIRESTORE_URL, IDENTITY_TOOLKIT_URL, GOOGLE_TOKEN_URL, ...identity, ...secrets, PUBLIC_URL },
    'destination:use': destination,
    'destination:probe': destination,
    'data-key:name': { ...dataKey, PLAN },
    'data-key:make': { ...dataKey, ...secrets },
    'data-key:open': { ...dataKey, ...secrets },
    'backup:start': { BACKUP_WORKFLOW_ARN: parts.backupWorkflowArn },
    'backup:watch': { BACKUP_WORKFLOW_ARN: parts.backupWorkflowArn },
    'verify:start': { VERIFY_WORKFLOW_ARN: parts.verifyWorkflowArn },
    'restore:start': { RESTORE_WORKFLOW_ARN: parts.restoreWorkflowArn },
    'restore:watch': { RESTORE_WORKFLOW_ARN: parts.restoreWorkflowArn },
    'task:send': { TASK_QUEUE_URL: parts.taskQueueUrl },
    'chore:send': { CHORE_QUEUE_URL: parts.choreQueueUrl },
    'mail:send': { MAIL_FROM },
    'link:make': { PUBLIC_URL },
    'purge:start': { PURGE_WORKFLOW_ARN: parts.purgeWorkflowArn },
    'health:check': { ...table, TASK_QUEUE_URL: parts.taskQueueUrl, SERVICE_VERSION },
  };
};

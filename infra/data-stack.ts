/** Resources that outlive deployments: the table, the keys, the secrets and the API's address. */
import { Annotations, CfnOutput, CfnParameter, CfnRule, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { type Config, missingSettings } from './config.ts';
import { deploymentName } from './part/deployment-name.ts';
import { makeGoogleRole } from './part/google-role.ts';
import { addAlarm, alarmPeriod } from './part/observe/alarm.ts';

interface DataStackProps extends StackProps {
  readonly config: Config;
}

/** Response headers that browsers may read. */
const exposedHeaders = [
  'x-request-id',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'idempotent-replayed',
  'location',
  'content-disposition',
  'deprecation',
  'sunset',
  'link',
];
const allowedHeaders = ['authorization', 'content-type', 'accept', 'x-organization-id', 'x-request-id', 'idempotency-key'];
const preflightKeptSeconds = 3_600;

export class DataStack extends Stack {
  readonly table: dynamodb.Table | dynamodb.ITable;
  readonly tokenKeyArns: readonly [string, ...string[]];
  /** The first one signs; all are published. */
  readonly evidenceKeyArns: readonly [string, ...string[]];
  readonly secretsKey: Key;
  /** The first one wraps the data keys of backups; all unwrap them. */
  readonly dataKeyArns: readonly [string, ...string[]];
  readonly serviceSecret: Secret;
  readonly identitySecret: Secret;
  readonly googleRole: Role;
  /** Receives all alarms. */
  readonly alarms: Topic;
  readonly apiId: string;
  /** The public URL of the API, without a trailing slash. */
  readonly publicUrl: string;
  readonly #config: Config;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    this.#config = props.config;
    this.#refuseUnset();
    this.alarms = this.#makeAlarmTopic();
    this.table = this.#restored(this.#makeTable());
    this.#watch(this.table);
    this.tokenKeyArns = this.#makeTokenKeys();
    this.evidenceKeyArns = this.#makeEvidenceKeys();
    this.secretsKey = this.#makeKey('SecretsKey', 'Encrypts secrets at rest: credentials of users and of the service');
    this.dataKeyArns = this.#makeDataKeys();
    this.serviceSecret = this.#makeSecret(
      'ServiceSecret',
      'Source of the keys for cursors, stored responses and invitation links',
    );
    this.identitySecret = this.#makeSecret('IdentitySecret', 'The client secret of the identity provider; set by the deployer');
    this.googleRole = makeGoogleRole(this);
    const api = this.#makeApi();
    this.apiId = api.ref;
    // Deployments without a domain import this; the export must remain when a domain is added.
    this.exportValue(api.attrApiEndpoint);
    this.publicUrl = this.#config.domainName ? `https://${this.#config.domainName}` : api.attrApiEndpoint;
    new CfnOutput(this, 'IdentitySecretArn', {
      value: this.identitySecret.secretArn,
      description: 'Secret for the client secret of the identity provider',
    });
    new CfnOutput(this, 'DataKeyArn', { value: this.dataKeyArns[0], description: 'The key that wraps the data keys of backups' });
    new CfnOutput(this, 'TokenKeyArn', { value: this.tokenKeyArns[0], description: 'The key that signs access tokens' });
    new CfnOutput(this, 'EvidenceKeyArn', { value: this.evidenceKeyArns[0], description: 'The key that signs evidence' });
  }

  /** A template without these settings can be synthesized, but CloudFormation refuses to deploy it with this message. */
  #refuseUnset(): void {
    const lines = missingSettings(this.#config);
    if (lines.length === 0) return;
    const text = `Not ready to deploy (see infra/deploy.md): ${lines.join('; ')}`;
    Annotations.of(this).addWarningV2('backup-management-service:unset', text);
    const settings = new CfnParameter(this, 'Settings', { default: 'incomplete', description: text });
    new CfnRule(this, 'SettingsAreComplete', {
      assertions: [{ assert: Fn.conditionEquals(settings.valueAsString, 'complete'), assertDescription: text }],
    });
  }

  #makeTable(): dynamodb.Table {
    const table = new dynamodb.Table(this, 'Table', {
      partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      stream: dynamodb.StreamViewType.NEW_IMAGE,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // Always exported, used or not: a restored table can replace this one only if no export that is imported disappears.
    for (const value of [table.tableName, table.tableArn, table.tableStreamArn]) this.exportValue(value);
    return table;
  }

  /** The restored table if the deployer configured one, else the table of the stack. */
  #restored(table: dynamodb.Table): DataStack['table'] {
    const { tableStreamArn } = this.#config;
    if (tableStreamArn === undefined) return table;
    const tableArn = tableStreamArn.slice(0, tableStreamArn.indexOf('/stream/'));
    return dynamodb.Table.fromTableAttributes(this, 'RestoredTable', { tableArn, tableStreamArn });
  }

  /** Two alarms instead of a sum: these metrics exist only while requests are throttled, and a sum needs both. */
  #watch(table: DataStack['table']): void {
    for (const [what, metricName] of [
      ['read', 'ReadThrottleEvents'],
      ['write', 'WriteThrottleEvents'],
    ] as const) {
      addAlarm(this, {
        name: `table-${what}-throttles`,
        description: `The table throttles ${what}s`,
        metric: table.metric(metricName, { statistic: 'Sum', period: alarmPeriod }),
        above: 10,
        topic: this.alarms,
      });
    }
  }

  /** All generations stay in the stack, so that a key can be retired without removing an export in use. */
  #makeTokenKeys(): readonly [string, ...string[]] {
    const keys = Array.from({ length: this.#config.tokenKeyGeneration }, (_, n) => {
      const description = `Signs access tokens, generation ${n + 1}`;
      const key = this.#makeSigningKey(`TokenKey${n + 1}`, { description, keySpec: KeySpec.RSA_2048 });
      this.exportValue(key.keyArn);
      return key.keyArn;
    });
    return [keys.at(-1) ?? '', ...this.#config.previousTokenKeyArns];
  }

  /** Evidence is checked for years: its keys are larger than those of access tokens, and every generation stays published. */
  #makeEvidenceKeys(): readonly [string, ...string[]] {
    const { evidenceKeyGeneration, withdrawnEvidenceKeyGenerations: withdrawn } = this.#config;
    const keys = Array.from({ length: evidenceKeyGeneration }, (_, n) => {
      const id = n === 0 ? 'EvidenceKey' : `EvidenceKey${n + 1}`;
      const description = `Signs the evidence of restore tests, generation ${n + 1}`;
      const key = this.#makeSigningKey(id, { description, keySpec: KeySpec.RSA_3072 });
      this.exportValue(key.keyArn);
      return { generation: n + 1, arn: key.keyArn };
    });
    const former = keys.slice(0, -1).filter(({ generation }) => !withdrawn.includes(generation));
    return [keys.at(-1)?.arn ?? '', ...former.reverse().map(({ arn }) => arn)];
  }

  /** Backups are encrypted with data keys that these wrap. An earlier one is needed until the last backup is rewrapped or gone. */
  #makeDataKeys(): readonly [string, ...string[]] {
    const arns = Array.from({ length: this.#config.dataKeyGeneration }, (_, n) => {
      const key = this.#makeKey(n === 0 ? 'DataKey' : `DataKey${n + 1}`, 'Wraps the data keys of backups', n + 1);
      this.exportValue(key.keyArn);
      return key.keyArn;
    });
    const { wrappingKeyGeneration = 1 } = this.#config;
    const [wrapping = ''] = arns.splice(wrappingKeyGeneration - 1, 1);
    return [wrapping, ...arns.reverse()];
  }

  #makeSigningKey(id: string, props: { description: string; keySpec: KeySpec }): Key {
    const { description, keySpec } = props;
    // Deployments from before may have keys of any generation that cannot be copied.
    const multiRegion = !this.#config.singleRegionKeys;
    return new Key(this, id, {
      description,
      keySpec,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: RemovalPolicy.RETAIN,
      ...(multiRegion && { multiRegion }),
    });
  }

  #makeKey(id: string, description: string, generation = 1): Key {
    const multiRegion = this.#isMultiRegion(generation);
    return new Key(this, id, {
      description,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
      ...(multiRegion && { multiRegion }),
    });
  }

  /** Whether a copy of the key can be made in another region. It is decided when a key is created, for good. */
  #isMultiRegion(generation: number): boolean {
    return generation > 1 || !this.#config.singleRegionKeys;
  }

  #makeSecret(id: string, description: string): Secret {
    return new Secret(this, id, {
      description,
      encryptionKey: this.secretsKey,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  #makeAlarmTopic(): Topic {
    const topic = new Topic(this, 'Alarms', { displayName: 'Backup service alarms', enforceSSL: true });
    // A topic with an explicit policy no longer accepts the account's alarms by default.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (this.#config.alarmEmail) topic.addSubscription(new EmailSubscription(this.#config.alarmEmail));
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn, description: 'Subscribe to this topic to receive alarms' });
    return topic;
  }

  /** Only the address; the routes are in the API stack. Workers put it into links, so it is created before them. */
  #makeApi(): CfnApi {
    const origins = this.#config.allowedOrigins;
    return new CfnApi(this, 'Address', {
      name: deploymentName(this),
      description: 'Backup Management Service',
      protocolType: 'HTTP',
      // With a custom domain the service has only that address.
      disableExecuteApiEndpoint: this.#config.domainName !== undefined,
      ...(origins.length > 0 && {
        corsConfiguration: {
          allowOrigins: [...origins],
          allowCredentials: true,
          allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
          allowHeaders: allowedHeaders,
          exposeHeaders: exposedHeaders,
          maxAge: preflightKeptSeconds,
        },
      }),
    });
  }
}

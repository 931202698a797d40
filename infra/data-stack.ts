/** What must outlive any deployment: the table, the keys, the secrets and the address. */
import { Annotations, CfnOutput, CfnParameter, CfnRule, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { type Config, unset } from './config.ts';
import { addAlarm, alarmPeriod } from './part/observe/alarm.ts';

export interface DataStackProps extends StackProps {
  readonly config: Config;
}

/** Browsers may read these of our answers. */
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
  readonly secretsKey: Key;
  readonly dataKey: Key;
  readonly serviceSecret: Secret;
  readonly identitySecret: Secret;
  /** Where alarms go. */
  readonly alarms: Topic;
  readonly apiId: string;
  /** The address customers know, without a trailing slash. */
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
    this.secretsKey = this.#makeKey('SecretsKey', 'Seals secrets at rest: the grants people gave us, and our own');
    // Backups are sealed under data keys that this key wraps.
    this.dataKey = this.#makeKey('DataKey', 'Wraps the data keys of backups');
    this.serviceSecret = this.#makeSecret(
      'ServiceSecret',
      'Keys for cursors, stored answers and invitation links derive from it',
    );
    this.identitySecret = this.#makeSecret('IdentitySecret', 'The client secret of the identity provider: put yours here');
    const api = this.#makeApi();
    this.apiId = api.ref;
    // Whoever deployed without a domain imports this; it must not be torn from them when a domain comes.
    this.exportValue(api.attrApiEndpoint);
    this.publicUrl = this.#config.domainName ? `https://${this.#config.domainName}` : api.attrApiEndpoint;
    new CfnOutput(this, 'IdentitySecretArn', {
      value: this.identitySecret.secretArn,
      description: 'Put the client secret of the identity provider here',
    });
    new CfnOutput(this, 'TokenKeyArn', { value: this.tokenKeyArns[0], description: 'The key that signs access tokens' });
  }

  /** A template can be looked at without these settings; CloudFormation refuses to deploy it, first thing, with these words. */
  #refuseUnset(): void {
    const lines = unset(this.#config);
    if (lines.length === 0) return;
    const text = `Not ready to be deployed (see infra/deploy.md): ${lines.join('; ')}`;
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
    // Exported whatever is in use: a restored table can only take its place if no import of this one is torn.
    for (const value of [table.tableName, table.tableArn, table.tableStreamArn]) this.exportValue(value);
    return table;
  }

  /** The table the deployer put in its place, or the table itself. */
  #restored(table: dynamodb.Table): DataStack['table'] {
    const { tableStreamArn } = this.#config;
    if (tableStreamArn === undefined) return table;
    const tableArn = tableStreamArn.slice(0, tableStreamArn.indexOf('/stream/'));
    return dynamodb.Table.fromTableAttributes(this, 'RestoredTable', { tableArn, tableStreamArn });
  }

  /** Two alarms, not a sum: these metrics exist only while something is refused, and a sum needs both at once. */
  #watch(table: DataStack['table']): void {
    for (const [what, metricName] of [
      ['read', 'ReadThrottleEvents'],
      ['write', 'WriteThrottleEvents'],
    ] as const) {
      addAlarm(this, {
        name: `table-${what}-throttles`,
        says: `The table refuses ${what}s because they come too fast`,
        metric: table.metric(metricName, { statistic: 'Sum', period: alarmPeriod }),
        above: 10,
        topic: this.alarms,
      });
    }
  }

  /** Every generation stays in the stack, so that a key can be retired without its export being torn from those who import it. */
  #makeTokenKeys(): readonly [string, ...string[]] {
    const keys = Array.from({ length: this.#config.tokenKeyGeneration }, (_, n) => {
      const key = new Key(this, `TokenKey${n + 1}`, {
        description: `Signs access tokens, generation ${n + 1}`,
        keySpec: KeySpec.RSA_2048,
        keyUsage: KeyUsage.SIGN_VERIFY,
        removalPolicy: RemovalPolicy.RETAIN,
      });
      this.exportValue(key.keyArn);
      return key.keyArn;
    });
    return [keys.at(-1) ?? '', ...this.#config.previousTokenKeyArns];
  }

  #makeKey(id: string, description: string): Key {
    return new Key(this, id, { description, enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN });
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
    // A topic with a policy of its own no longer lets the account's alarms in by itself.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (this.#config.alarmEmail) topic.addSubscription(new EmailSubscription(this.#config.alarmEmail));
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn, description: 'Subscribe here to hear the alarms' });
    return topic;
  }

  /** The address alone; its routes are in the API stack. Workers put it into links, so it comes before them. */
  #makeApi(): CfnApi {
    const origins = this.#config.allowedOrigins;
    return new CfnApi(this, 'Address', {
      name: 'backup-management-service',
      description: 'Backup Management Service',
      protocolType: 'HTTP',
      // With a domain of its own, the service has one address only.
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

import { type SettingRow, settingRows } from '../setting-rows.ts';

/** The declarations of the package: every setting is a property, documented as in infra/deploy.md. */
export const declareProperties = (): string => `import { Stack } from 'aws-cdk-lib';
import { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { IRole } from 'aws-cdk-lib/aws-iam';
import { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

export interface BackupManagementServiceProps {
${settingRows().map(declare).join('\n\n')}
}

/**
 * The Backup Management Service in four stacks below the scope: its resources exceed the 500 of one stack, and the data stack stays when
 * the others are deleted. In a stack they get its account and region, and are deployed beside it.
 */
export declare class BackupManagementService extends Construct {
  constructor(scope: Construct, id: string, props: BackupManagementServiceProps);

  /** URL of the API, without a trailing slash; the console is at /console, the reference at /docs. */
  readonly apiUrl: string;

  /** Id of the HTTP API, a dimension of its metrics. */
  readonly apiId: string;

  /** Address of the dashboard with all alarms and metrics. */
  readonly dashboardUrl: string;

  /** Receives all alarms. */
  readonly alarmTopic: ITopic;

  /** The table with all records; retained when the stacks are deleted. */
  readonly table: ITable;

  /** Put the client secret of the identity provider into it, once. */
  readonly identitySecret: ISecret;

  /** The role that customers' Google Cloud projects trust. */
  readonly googleRole: IRole;

  /** ARN of the key that wraps the data keys of backups. */
  readonly dataKeyArn: string;

  /** ARN of the key that signs access tokens. */
  readonly tokenKeyArn: string;

  /** ARN of the key that signs the evidence of restore tests. */
  readonly evidenceKeyArn: string;

  /** Target of the DNS record of domainName, a CNAME or an alias; undefined without a domain. */
  readonly domainTarget: string | undefined;

  /** Id of the hosted zone of that target, for an alias record. */
  readonly domainTargetZone: string | undefined;

  /** To be done once after the first deployment, in this order; the stack of the API prints them, too. */
  readonly nextSteps: readonly string[];

  /** In the order of their deployment: data, engine, further routes, API. */
  readonly stacks: readonly Stack[];
}
`;

const declare = ({ name, text, usual, schema }: SettingRow): string => {
  const isRequired = name === 'identityClientId';
  const lines = [
    // Prettier-like lines would only make the declarations longer: editors wrap them.
    `   * ${escaped(text)}`,
    ...(isRequired ? [] : ['   *', `   * @default ${escaped(usual === '' ? 'none' : usual)}`]),
  ];
  return `  /**\n${lines.join('\n')}\n   */\n  readonly ${name}${isRequired ? '' : '?'}: ${typeOf(schema)};`;
};

const typeOf = ({ type, enum: values, items, anyOf }: SettingRow['schema']): string => {
  if (anyOf) return typeOf(anyOf[0] ?? {});
  if (values) return values.map((value) => `'${value}'`).join(' | ');
  if (items) return `readonly ${typeOf(items)}[]`;
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'boolean') return type;
  throw new Error(`a setting has no type: ${type}`);
};

const escaped = (text: string): string => text.replaceAll('*/', '*\\/');

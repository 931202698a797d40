/** Physical names, ARNs and attributes of resources, the same at every start. */
import { createHash } from 'node:crypto';

/** The simulated region, account and addresses. */
export interface StageLocation {
  readonly region: string;
  readonly account: string;
  /** The gateway's address, which the template refers to as the API endpoint. */
  readonly apiUrl: string;
  /** The address of embedded AWS; queue URLs begin with it. */
  readonly awsUrl: string;
}

export interface Physical {
  readonly name: string;
  readonly arn: string;
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Kind {
  readonly nameProperty?: string;
  /** Generates a name if the template has none. */
  readonly makeName?: (seed: string) => string;
  readonly service: string;
  readonly path?: (name: string, chosen: Declared['chosen']) => string;
  readonly ref?: (name: string, arn: string, location: StageLocation) => string;
  readonly attributes?: (name: string, arn: string, location: StageLocation) => Readonly<Record<string, string>>;
}

const byArn = (_name: string, arn: string): string => arn;
const queueUrl = (name: string, _arn: string, location: StageLocation): string =>
  `${location.awsUrl}/${location.account}/${name}`;
const digest = (seed: string): string => createHash('sha256').update(seed).digest('hex');
const uuid = (seed: string): string => digest(seed).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
const shortId = (seed: string): string => digest(seed).slice(0, 10);

const table: Kind = { nameProperty: 'TableName', service: 'dynamodb', path: (name) => `table/${name}` };

const kinds: Readonly<Record<string, Kind>> = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    service: 'sqs',
    ref: queueUrl,
    attributes: (name, arn, location) => ({ QueueName: name, QueueUrl: queueUrl(name, arn, location) }),
  },
  'AWS::KMS::Key': { makeName: uuid, service: 'kms', path: (id) => `key/${id}`, attributes: (id) => ({ KeyId: id }) },
  'AWS::KMS::Alias': { nameProperty: 'AliasName', service: 'kms' },
  'AWS::SecretsManager::Secret': {
    nameProperty: 'Name',
    service: 'secretsmanager',
    // Secret ARNs end in six random characters, so policies use a wildcard.
    path: (name) => `secret:${name}-${digest(name).slice(0, 6)}`,
    ref: byArn,
    attributes: (_name, arn) => ({ Id: arn }),
  },
  'AWS::Lambda::Function': { nameProperty: 'FunctionName', service: 'lambda', path: (name) => `function:${name}` },
  // There is one version: that of the sources.
  'AWS::Lambda::Version': {
    nameProperty: 'FunctionName',
    service: 'lambda',
    path: (name) => `function:${name}:1`,
    ref: byArn,
    attributes: () => ({ Version: '1' }),
  },
  'AWS::Lambda::Alias': {
    nameProperty: 'FunctionName',
    service: 'lambda',
    path: (name, chosen) => `function:${name}:${chosen('Name')}`,
    ref: byArn,
  },
  'AWS::IAM::Role': { nameProperty: 'RoleName', service: 'iam', path: (name) => `role/${name}` },
  'AWS::IAM::ManagedPolicy': { service: 'iam', path: (name) => `policy/${name}`, ref: byArn },
  'AWS::Logs::LogGroup': { nameProperty: 'LogGroupName', service: 'logs', path: (name) => `log-group:${name}:*` },
  'AWS::ApiGatewayV2::Api': {
    makeName: shortId,
    service: 'apigateway',
    path: (id) => `/apis/${id}`,
    attributes: (id, _arn, location) => ({ ApiEndpoint: location.apiUrl, ApiId: id }),
  },
  'AWS::ApiGatewayV2::DomainName': {
    nameProperty: 'DomainName',
    service: 'apigateway',
    attributes: (name, _arn, { region }) => ({
      RegionalDomainName: `d-${shortId(name)}.execute-api.${region}.amazonaws.com`,
      RegionalHostedZoneId: `Z${shortId(region).toUpperCase()}`,
    }),
  },
  'AWS::ApiGatewayV2::Stage': { nameProperty: 'StageName', service: 'apigateway' },
  'AWS::ApiGatewayV2::Integration': { makeName: shortId, service: 'apigateway' },
  'AWS::ApiGatewayV2::Route': { makeName: shortId, service: 'apigateway' },
  'AWS::StepFunctions::StateMachine': {
    nameProperty: 'StateMachineName',
    service: 'states',
    path: (name) => `stateMachine:${name}`,
    ref: byArn,
    attributes: (name) => ({ Name: name }),
  },
  'AWS::Scheduler::Schedule': { nameProperty: 'Name', service: 'scheduler', path: (name) => `schedule/default/${name}` },
  'AWS::Scheduler::ScheduleGroup': { nameProperty: 'Name', service: 'scheduler', path: (name) => `schedule-group/${name}` },
  'AWS::SES::EmailIdentity': { nameProperty: 'EmailIdentity', service: 'ses', path: (name) => `identity/${name}` },
  'AWS::SNS::Topic': {
    nameProperty: 'TopicName',
    service: 'sns',
    ref: byArn,
    attributes: (name, arn) => ({ TopicName: name, TopicArn: arn }),
  },
  'AWS::S3::Bucket': { nameProperty: 'BucketName', makeName: (seed) => `bucket-${shortId(seed)}`, service: 's3' },
  'AWS::CloudWatch::Alarm': { nameProperty: 'AlarmName', service: 'cloudwatch', path: (name) => `alarm:${name}` },
};

/** The ARNs of some services have no region, or neither region nor account. */
const arnOf = (service: string, path: string, { region, account }: StageLocation): string => {
  if (service === 's3') return `arn:aws:s3:::${path}`;
  if (service === 'iam') return `arn:aws:iam::${account}:${path}`;
  return `arn:aws:${service}:${region}:${account}:${path}`;
};

/** The smallest name limit of the services (Lambda, IAM). */
const nameMax = 64;

const madeUp = (stack: string, logicalId: string): string => {
  const name = `${stack}-${logicalId}`;
  return name.length <= nameMax ? name : `${name.slice(0, nameMax - 9)}-${digest(name).slice(0, 8)}`;
};

interface Declared {
  readonly type: string;
  readonly stack: string;
  readonly logicalId: string;
  /** The explicit name in the template, resolved. */
  readonly chosen: (property: string) => unknown;
}

/** The property with which a template names a resource. A change of it replaces the resource. */
export const namePropertyOf = (type: string): string | undefined => kinds[type]?.nameProperty;

export const physicalOf = ({ type, stack, logicalId, chosen }: Declared, location: StageLocation): Physical => {
  const kind = kinds[type] ?? { service: 'local' };
  const explicit = kind.nameProperty === undefined ? undefined : chosen(kind.nameProperty);
  const name = typeof explicit === 'string' ? explicit : (kind.makeName?.(`${stack}/${logicalId}`) ?? madeUp(stack, logicalId));
  const arn = arnOf(kind.service, kind.path?.(name, chosen) ?? name, location);
  const attributes = { Arn: arn, ...kind.attributes?.(name, arn, location) };
  return { name, arn, ref: kind.ref?.(name, arn, location) ?? name, attributes };
};

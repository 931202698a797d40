/** Two deployments fit one account and region: no name is in both. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { buildApp } from '../../../infra/app.ts';
import { readConfig } from '../../../infra/config.ts';
import { metricNamespace } from '../../../shared/contract/runtime/metric-names.ts';
import { inlineCode, resourcesOf, settings, templatesOf } from '../../harness/law/templates.ts';

const other = { ...settings, stackName: 'staging' };
const [first, second] = [resourcesOf(templatesOf()), resourcesOf(templatesOf(other))];

/** The properties with which CloudFormation names a resource instead of choosing a name. */
const nameProperties: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::Api': 'Name',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::EventBus': 'Name',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::KMS::Alias': 'AliasName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SSM::Parameter': 'Name',
  'AWS::Scheduler::Schedule': 'Name',
  'AWS::Scheduler::ScheduleGroup': 'Name',
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::StepFunctions::StateMachine': 'StateMachineName',
};

const namesOf = (resources: typeof first): readonly string[] =>
  resources.flatMap(({ type, properties }) => {
    const name = properties[nameProperties[type] ?? ''];
    return name === undefined ? [] : [`${type} ${JSON.stringify(name)}`];
  });

const stacksOf = (context: Readonly<Record<string, unknown>>): readonly string[] =>
  buildApp({ config: readConfig(context), code: inlineCode }).node.children.map(
    (stack) => (stack as never as { stackName: string }).stackName,
  );

test('two deployments: every resource type is known to have no name of its own, or the property that names it', () => {
  // Found by their owner, or named by CloudFormation only.
  const unnamed =
    /^(Custom::SchemaCheck|AWS::(ApiGatewayV2::(Integration|Route|Stage|ApiMapping|DomainName)|Lambda::(EventSourceMapping|EventInvokeConfig|Permission)|Logs::MetricFilter|SNS::(TopicPolicy|Subscription)|SQS::QueuePolicy|KMS::Key|CDK::Metadata))$/;
  const types = new Set(first.map(({ type }) => type));
  deepEqual(
    [...types].filter((type) => !(type in nameProperties) && !unnamed.test(type)),
    [],
  );
});

test('two deployments: no physical name is in both', () => {
  const [ours, theirs] = [namesOf(first), namesOf(second)];
  ok(ours.length > 50);
  equal(theirs.length, ours.length);
  deepEqual(
    ours.filter((name) => theirs.includes(name)),
    [],
  );
  equal(new Set(theirs).size, theirs.length);
});

test('two deployments: stacks and exports have different names', () => {
  const stacksOfOther = stacksOf(other);
  deepEqual(stacksOfOther, ['staging-data', 'staging-engine', 'staging-extension', 'staging-api']);
  deepEqual(
    stacksOf(settings).filter((name) => stacksOfOther.includes(name)),
    [],
  );
  const exported = (context: Readonly<Record<string, unknown>>): readonly string[] =>
    [...templatesOf(context).values()].flatMap(({ Outputs = {} }) =>
      Object.values(Outputs).flatMap((output) => JSON.stringify((output as { Export?: { Name: unknown } }).Export?.Name) ?? []),
    );
  const [ours, theirs] = [exported(settings), exported(other)];
  ok(ours.length > 10);
  deepEqual(
    ours.filter((name) => theirs.includes(name)),
    [],
  );
});

test('two deployments: nothing of another deployment contains the usual name', () => {
  const found = second.filter(({ properties }) =>
    /backup-management-service|"backup-service-[a-z]/.test(JSON.stringify(properties)),
  );
  deepEqual(
    found.map(({ id }) => id),
    [],
  );
});

test('two deployments: metrics, alarms on log lines and graphs have their own namespace', () => {
  const text = JSON.stringify(second);
  const spaces = new Set(
    [...text.matchAll(/(?:Namespace\\*":\\*"|\\"metrics\\":\[\[\\")(BackupService[^"\\]*)/g)].map(([, name]) => name),
  );
  deepEqual([...spaces], [`${metricNamespace}/staging`]);
  const variables = second
    .filter(({ type }) => type === 'AWS::Lambda::Function')
    .map(({ properties }) => (properties.Environment as { Variables?: Record<string, string> })?.Variables?.METRIC_NAMESPACE);
  deepEqual([...new Set(variables)], [`${metricNamespace}/staging`]);
  ok(!JSON.stringify(first).includes('METRIC_NAMESPACE'));
});

test('two deployments: an alarm refers to the section of the runbook', () => {
  const alarm = second.find(({ properties }) => properties.AlarmName === 'staging-api-5xx');
  match(String(alarm?.properties.AlarmDescription), /section backup-service-api-5xx\.$/);
});

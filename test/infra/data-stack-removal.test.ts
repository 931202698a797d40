/** `cdk destroy` retains what infra/deploy.md lists, including everything that contains data. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, describe, test } from 'vitest';
import { buildApp } from '../../infra/app.ts';
import { readConfig } from '../../infra/config.ts';
import { inlineCode, resourcesOf, settings } from '../harness/law/templates.ts';

const assembly = buildApp({ config: readConfig(settings), code: inlineCode }).synth();
const resources = resourcesOf(new Map(assembly.stacks.map(({ id, template }) => [id, template])));
afterAll(() => rmSync(assembly.directory, { recursive: true }));

/** By type: all resources of the first list are retained, none of the second. A new type must be added to one of them. */
const kept = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup'];
const gone = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::CDK::Metadata',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::StepFunctions::StateMachine',
  'Custom::SchemaCheck',
];

describe('destroying the stacks', () => {
  test('log groups of AWS services do not use the account’s log resource policy', () => {
    const named = resources.filter(
      ({ type, properties }) => type === 'AWS::Logs::LogGroup' && properties.LogGroupName !== undefined,
    );
    assert.ok(named.length >= 2);
    for (const { properties } of named) assert.match(JSON.stringify(properties.LogGroupName), /\/aws\/vendedlogs\//);
  });

  test('retains the table, the keys, the secrets and the logs', () => {
    for (const type of kept)
      assert.ok(
        resources.some((resource) => resource.type === type),
        type,
      );
    for (const { stack, id, deletionPolicy } of resources.filter(({ type }) => kept.includes(type)))
      assert.equal(deletionPolicy, 'Retain', `${stack}/${id}`);
  });

  test('deletes everything else, so that the next deployment finds no name taken', () => {
    const others = resources.filter(({ type }) => !kept.includes(type));
    assert.deepEqual(
      [...new Set(others.map(({ type }) => type))].filter((type) => !gone.includes(type)),
      [],
    );
    for (const { stack, id, deletionPolicy } of others)
      assert.ok(deletionPolicy === undefined || deletionPolicy === 'Delete', `${stack}/${id}`);
  });

  // A retained resource with a fixed name would block the next deployment.
  test('retained resources have no fixed name, or one that contains the stack id', () => {
    const names = ['TableName', 'Name', 'LogGroupName', 'AliasName'];
    const isFixed = (value: unknown): boolean => !JSON.stringify(value).includes('AWS::StackId');
    for (const { stack, id, properties } of resources.filter(({ type }) => kept.includes(type)))
      assert.deepEqual(
        Object.entries(properties).filter(([key, value]) => names.includes(key) && isFixed(value)),
        [],
        `${stack}/${id}`,
      );
  });

  test('stops at the data stack, which has termination protection; the others can be deployed again', () => {
    assert.deepEqual(
      assembly.stacks.map(({ id, terminationProtection }) => [id, terminationProtection ?? false]),
      [
        ['Data', true],
        ['Engine', false],
        ['Extension', false],
        ['Api', false],
      ],
    );
  });
});

test('infra/deploy.md: lists what cdk retained', () => {
  const guide = readFileSync(new URL('../../infra/deploy.md', import.meta.url), 'utf8');
  const deploy = /^## Deploy$([\s\S]*?)^#/m.exec(guide)?.[1] ?? '';
  assert.match(deploy.replace(/\s+/g, ' '), /`npx cdk destroy --all` .*table, keys, secrets and logs/);
});

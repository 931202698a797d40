/** CloudFormation of the stage: what is not nested. The template of a release goes through the rest (test/infra/release/template). */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import type { Json } from '../../../../../infra/local/base/aws-service.ts';
import { openCloudFormation } from '../../../../../infra/local/engines/cloudformation/open-cloudformation.ts';
import { queryService } from '../../../../../infra/local/engines/cloudformation/query-service.ts';

const engine = openCloudFormation({
  location: { region: 'eu-central-1', account: '111122223333', apiUrl: 'https://api.example', awsUrl: 'https://sqs.example' },
  objects: { read: async () => undefined, has: async () => false },
});
const call = async (action: string, input: Json = {}): Promise<Json> => (await engine.call({ action, input })) as Json;
const body = (template: object) => ({ TemplateBody: JSON.stringify(template) });
const queue = (properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties: properties });

const settled = async (name: unknown): Promise<Readonly<Record<string, string>>> => {
  for (;;) {
    const { Stacks } = (await call('DescribeStacks', { StackName: name })) as unknown as { Stacks: [Record<string, string>] };
    if (!Stacks[0].StackStatus?.endsWith('_IN_PROGRESS')) return Stacks[0];
    await pause(2);
  }
};

test('exports: another stack imports them; one that is in use stays', async () => {
  const value = { Value: { 'Fn::GetAtt': ['Work', 'Arn'] }, Export: { Name: 'work-arn' } };
  const { StackId } = await call('CreateStack', {
    StackName: 'one',
    ...body({ Resources: { Work: queue() }, Outputs: { Arn: value } }),
  });
  equal((await settled('one')).StackStatus, 'CREATE_COMPLETE');
  const user = { Resources: { Other: queue({ RedrivePolicy: { deadLetterTargetArn: { 'Fn::ImportValue': 'work-arn' } } }) } };
  await call('CreateStack', { StackName: 'two', ...body(user) });
  equal((await settled('two')).StackStatus, 'CREATE_COMPLETE');
  await call('DeleteStack', { StackName: 'one' });
  const kept = await settled('one');
  deepEqual(
    [kept.StackStatus, kept.StackStatusReason],
    ['DELETE_FAILED', 'Export work-arn cannot be deleted as it is in use by two'],
  );
  await call('DeleteStack', { StackName: 'two' });
  await settled('two').catch(() => undefined);
  await call('DeleteStack', { StackName: 'one' });
  equal((await settled(StackId)).StackStatus, 'DELETE_COMPLETE');
  await call('CreateStack', { StackName: 'three', ...body(user) });
  equal((await settled('three')).StackStatus, 'ROLLBACK_COMPLETE');
});

test('templates: dependencies that form a circle, unknown ones and wrong parameters are refused', async () => {
  const circle = { A: queue({ QueueName: { Ref: 'B' } }), B: queue({ QueueName: { Ref: 'A' } }) };
  await rejects(
    call('CreateStack', { StackName: 'bad', ...body({ Resources: circle }) }),
    /Circular dependency between resources: \[A, B\]/,
  );
  await rejects(
    call('CreateStack', { StackName: 'bad', ...body({ Resources: { A: { ...queue(), DependsOn: 'C' } } }) }),
    /Unresolved resource dependencies \[C\]/,
  );
  await rejects(call('CreateStack', { StackName: 'bad', ...body({}) }), /At least one Resources member/);
  const Parameters = [{ ParameterKey: 'Size', ParameterValue: '1' }];
  await rejects(
    call('CreateStack', { StackName: 'bad', Parameters, ...body({ Resources: { A: queue() } }) }),
    /Parameters: \[Size\] do not exist/,
  );
});

test('a resource whose chosen name is taken fails; one with a chosen name that would be replaced fails the update, too', async () => {
  const table = (key: string) => ({
    Type: 'AWS::DynamoDB::Table',
    Properties: { TableName: 'orders', KeySchema: [{ AttributeName: key }] },
  });
  await call('CreateStack', { StackName: 'first', ...body({ Resources: { Orders: table('pk') } }) });
  await settled('first');
  await call('CreateStack', { StackName: 'second', ...body({ Resources: { Orders: table('pk') } }) });
  equal((await settled('second')).StackStatus, 'ROLLBACK_COMPLETE');
  await call('UpdateStack', { StackName: 'first', ...body({ Resources: { Orders: table('id') } }) });
  const rolledBack = await settled('first');
  equal(rolledBack.StackStatus, 'UPDATE_ROLLBACK_COMPLETE');
  const { StackEvents } = (await call('DescribeStackEvents', { StackName: 'first' })) as unknown as {
    StackEvents: Record<string, string>[];
  };
  match(
    StackEvents.map(({ ResourceStatusReason = '' }) => ResourceStatusReason).join('\n'),
    /custom-named resource requires replacing/,
  );
});

test('query protocol: forms with lists in, XML with members out', async () => {
  const service = queryService(engine, 'urn:x');
  const form = 'Action=DescribeStacks&Version=2010-05-15&StackName=first&Tags.member.1.Key=a&Tags.member.2.Key=b';
  const request = { method: 'POST', path: '/', headers: {}, body: Buffer.from(form) };
  const operation = service.read(request);
  deepEqual(operation, { action: 'DescribeStacks', input: { StackName: 'first', Tags: [{ Key: 'a' }, { Key: 'b' }] } });
  const { body: xml } = await service.answer(operation, request);
  match(
    String(xml),
    /^<DescribeStacksResponse xmlns="urn:x"><DescribeStacksResult><Stacks><member><StackId>arn:aws:cloudformation:/,
  );
});

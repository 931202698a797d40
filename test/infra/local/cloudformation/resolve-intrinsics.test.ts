import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import type { StageLocation } from '../../../../infra/local/cloudformation/physical-names.ts';
import { readResources, type Stacks } from '../../../../infra/local/cloudformation/read-template.ts';
import { readRoles } from '../../../../infra/local/iam/roles.ts';

const place: StageLocation = {
  region: 'eu-central-1',
  account: '123456789012',
  apiUrl: 'http://localhost:3000',
  awsUrl: 'http://127.0.0.1:4000',
};

const data: Stacks[string] = {
  Resources: {
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'items' } },
    Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
    Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'identity' } },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} },
    CDKMetadata: { Type: 'AWS::CDK::Metadata', Properties: {} },
  },
  Outputs: {
    TableArn: { Value: { 'Fn::GetAtt': ['Table', 'Arn'] }, Export: { Name: { 'Fn::Sub': `\${AWS::StackName}:Table` } } },
  },
};

/** The resolved value of a property in a second stack. */
const resolved = (value: unknown, learned = {}): unknown => {
  const stacks = { data, api: { Resources: { ...data.Resources, Probe: { Type: 'Test::Probe', Properties: { value } } } } };
  return readResources(stacks, { location: place, learned }).find(({ logicalId }) => logicalId === 'Probe')?.properties.value;
};

describe('a property of the template', () => {
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ['a plain value is unchanged', { a: [1, true, null, 'x'] }, { a: [1, true, null, 'x'] }],
    ['Ref of a table is its name', { Ref: 'Table' }, 'items'],
    ['Ref of a queue is its URL at the AWS endpoint', { Ref: 'Queue' }, 'http://127.0.0.1:4000/123456789012/api-Queue'],
    ['GetAtt of an ARN', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:eu-central-1:123456789012:api-Queue'],
    ['GetAtt written with a dot', { 'Fn::GetAtt': 'Queue.QueueName' }, 'api-Queue'],
    ["the API's endpoint is the gateway", { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, 'http://localhost:3000'],
    [
      'Join over nested intrinsics',
      { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':x:', { Ref: 'AWS::Region' }, ':', { Ref: 'AWS::AccountId' }]] },
      'arn:aws:x:eu-central-1:123456789012',
    ],
    [
      'Sub with names, attributes and a literal',
      { 'Fn::Sub': `\${Table}/\${Queue.QueueName}/\${!kept}` },
      `items/api-Queue/\${kept}`,
    ],
    ['Sub with its own variables', { 'Fn::Sub': [`\${a}-\${Table}`, { a: { Ref: 'AWS::StackName' } }] }, 'api-items'],
    ['Select of Split', { 'Fn::Select': [5, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Table', 'Arn'] }] }] }, 'table/items'],
    [
      'an import from another stack',
      { 'Fn::ImportValue': 'data:Table' },
      'arn:aws:dynamodb:eu-central-1:123456789012:table/items',
    ],
    [
      'AWS::NoValue removes the property',
      { a: { Ref: 'AWS::NoValue' }, b: 1, c: [{ Ref: 'AWS::NoValue' }, 2] },
      { b: 1, c: [2] },
    ],
    ['an object with Ref among other keys is not an intrinsic', { Ref: 'Table', b: 1 }, { Ref: 'Table', b: 1 }],
  ];
  for (const [name, value, expected] of cases) test(name, () => assert.deepEqual(resolved(value), expected));

  test('attributes from an engine take precedence over generated ones', () => {
    const value = { 'Fn::GetAtt': ['Table', 'StreamArn'] };
    assert.throws(() => resolved(value), /Table\.StreamArn/);
    assert.equal(resolved(value, { Table: { StreamArn: 'arn:stream' } }), 'arn:stream');
  });

  const mistakes: readonly (readonly [string, unknown, RegExp])[] = [
    ['an unknown function', { 'Fn::Base64': 'x' }, /Fn::Base64/],
    ['an unknown resource', { Ref: 'Nobody' }, /Nobody/],
    ['an unknown export', { 'Fn::ImportValue': 'nothing' }, /nothing/],
    ['an index out of range', { 'Fn::Select': [3, ['a']] }, /no element at index 3/],
    ['an object inside Join', { 'Fn::Join': ['', [{ a: 1 }]] }, /expected a string/],
  ];
  for (const [name, value, message] of mistakes) {
    test(`${name} is an error that names it`, () => assert.throws(() => resolved(value), message));
  }
});

describe('physical names', () => {
  const first = readResources({ data }, { location: place });
  test('are the same at every start', () => assert.deepEqual(readResources({ data }, { location: place }), first));
  test('of a secret end in random characters, like real ARNs', () =>
    assert.match(first.find(({ logicalId }) => logicalId === 'Secret')?.arn ?? '', /:secret:identity-[0-9a-f]{6}$/));
  test('are unique within 64 characters', () => {
    const id = (last: string) => `A${'b'.repeat(80)}${last}`;
    const Resources = { [id('1')]: { Type: 'AWS::Lambda::Function' }, [id('2')]: { Type: 'AWS::Lambda::Function' } };
    const names = readResources({ s: { Resources } }, { location: place }).map(({ name }) => name);
    assert.ok(names.every((name) => name.length <= 64));
    assert.equal(new Set(names).size, 2);
  });
  test('CDK metadata is not a resource', () => assert.ok(!first.some(({ logicalId }) => logicalId === 'CDKMetadata')));
});

describe('roles', () => {
  const statement = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': ['Queue', 'Arn'] } };
  const role = { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyDocument: { Statement: [statement] } }] } };
  const policy = (Statement: unknown) => ({
    Type: 'AWS::IAM::Policy',
    Properties: { PolicyDocument: { Statement }, Roles: [{ Ref: 'Role' }] },
  });
  const statementsWith = (more: Stacks[string]['Resources']) => {
    const resources = readResources(
      { s: { Resources: { Queue: { Type: 'AWS::SQS::Queue' }, Role: role, ...more } } },
      { location: place },
    );
    return readRoles(resources)('arn:aws:iam::123456789012:role/s-Role');
  };

  test('include inline and attached policies, with ARNs resolved', () => {
    const deny = {
      Effect: 'Deny',
      Action: ['dynamodb:*'],
      Resource: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    };
    assert.deepEqual(statementsWith({ Policy: policy(deny) }), [
      { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: ['arn:aws:sqs:eu-central-1:123456789012:s-Queue'] },
      { ...deny, Resource: ['*'] },
    ]);
  });
  test('exclude statements of other roles', () =>
    assert.equal(readRoles([])('arn:aws:iam::123456789012:role/s-Role'), undefined));
  test('with NotAction are rejected', () =>
    assert.throws(
      () => statementsWith({ Policy: policy({ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }) }),
      /without Action/,
    ));
});

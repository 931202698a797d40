/** The stage authorizes every caller: functions by access key, everything else by role. */

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { awsAuthorization } from '../../../../infra/local/base/aws-authorization.ts';
import { account, region } from '../../../../infra/local/base/types.ts';
import { readFunctions } from '../../../../infra/local/boot/read-functions.ts';
import { readRoles, readTrust } from '../../../../infra/local/iam/roles.ts';
import { exceptions } from '../../../../infra/local/unused-permissions/exceptions.ts';
import { templateResources } from '../../../../infra/local/unused-permissions/granted.ts';
import { readRecord } from '../../../../infra/local/unused-permissions/main.ts';
import { stageVariable } from '../../../harness/stage/client.ts';

const resources = await templateResources();
const functions = readFunctions(resources, readRoles(resources), readTrust(resources));
const roles = resources.filter(({ type }) => type === 'AWS::IAM::Role');

interface Call {
  readonly path?: string;
  readonly method?: string;
  /** For services whose action is in a header. */
  readonly target?: string;
  readonly body?: string;
}

/** One call per service that no function is allowed. */
const calls: Readonly<Record<string, Call>> = {
  dynamodb: { target: 'DynamoDB_20120810.DeleteTable', body: '{"TableName":"any"}' },
  sqs: { target: 'AmazonSQS.PurgeQueue', body: '{"QueueUrl":"http://sqs/1/any"}' },
  kms: { target: 'TrentService.DisableKey', body: '{"KeyId":"any"}' },
  secretsmanager: { target: 'secretsmanager.PutSecretValue', body: '{"SecretId":"any","SecretString":"other"}' },
  states: { target: 'AWSStepFunctions.ListExecutions', body: '{"stateMachineArn":"any"}' },
  scheduler: { path: '/schedules', method: 'GET' },
  ses: { path: '/v2/email/outbound-emails', body: '{"FromEmailAddress":"other@example.com"}' },
  sts: { body: `Action=AssumeRole&RoleSessionName=s&RoleArn=arn:aws:iam::${account}:role/any` },
};

const refusalOf = async (service: string, accessKeyId: string): Promise<string> => {
  const { path = '/', method = 'POST', target, body } = calls[service] ?? {};
  const answer = await fetch(stageVariable('STAGE_AWS_URL') + path, {
    method,
    headers: {
      authorization: awsAuthorization({ accessKeyId, region, service }),
      ...(target && { 'x-amz-target': target }),
    },
    ...(body && { body }),
  });
  return `${answer.status} ${answer.headers.get('x-amzn-errortype') ?? ''} ${await answer.text()}`;
};

for (const service of Object.keys(calls)) {
  test(`${service} denies every function a call that its role does not allow`, async () => {
    assert.ok(functions.length > 100);
    await Promise.all(
      functions.map(async ({ name, accessKeyId }) => {
        const refusal = await refusalOf(service, accessKeyId);
        assert.match(refusal, /^40[03] .*AccessDenied/, name);
        // The error names the caller, so its own policies were evaluated.
        assert.ok(refusal.includes(`User: ${name} `), refusal);
      }),
    );
  });
}

// A resource type that is missing here would act without authorization.
test('every resource with a role is of a type that the stage authorizes', () => {
  const namesOf = ({ properties }: (typeof resources)[number]): readonly string[] => {
    const text = JSON.stringify(properties);
    return roles.filter(({ arn }) => text.includes(`"${arn}"`)).map(({ arn }) => arn);
  };
  const naming = resources.filter(
    ({ type, properties }) => type !== 'AWS::IAM::Role' && namesOf({ properties } as never).length > 0,
  );
  assert.deepEqual([...new Set(naming.map(({ type }) => type))].sort(), [
    'AWS::ApiGatewayV2::Integration',
    'AWS::Lambda::Function',
    'AWS::Scheduler::Schedule',
    'AWS::StepFunctions::StateMachine',
  ]);
  const named = new Set(naming.flatMap(namesOf));
  assert.deepEqual(
    roles.filter(({ arn }) => !named.has(arn)).map(({ logicalId }) => logicalId),
    [],
  );
});

test('the record of used permissions contains every role, or an exception says why not', () => {
  const judged = new Set(readRecord().map((line) => line.split(' ')[0]));
  // A role without permissions only proves an identity.
  const permitted = roles.filter(({ properties }) => properties.Policies !== undefined);
  const unjudged = permitted
    .map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''))
    .filter((name) => !judged.has(name) && !exceptions.some(({ lines }) => lines.test(`${name} `)));
  assert.deepEqual(unjudged, []);
});

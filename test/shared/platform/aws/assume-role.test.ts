import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { assumeRole } from '../../../../shared/platform/index.ts';
import { replaceWire, wireAnswer } from '../../../harness/aws/aws-wire.ts';

Object.assign(process.env, { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'TEST', AWS_SECRET_ACCESS_KEY: 'TEST' });
let answer = { status: 200, body: '' };
let calls = 0;
afterAll(
  replaceWire(async () => {
    calls += 1;
    return wireAnswer(answer.status, answer.body);
  }),
);

const answering = (status: number, body: string) => {
  calls = 0;
  answer = { status, body };
  return () => calls;
};
const refusing = (status: number, code: string) =>
  answering(
    status,
    `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n  <Error>\n    <Type>Sender</Type>\n    <Code>${code}</Code>\n    <Message>no</Message>\n  </Error>\n  <RequestId>1</RequestId>\n</ErrorResponse>`,
  );
const take = () => assumeRole({ roleArn: 'arn:aws:iam::123456789012:role/theirs', externalId: 'ours', sessionName: 'session' });

test('role: the credentials are those that STS returns', async () => {
  answering(
    200,
    '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>b+/</SecretAccessKey><SessionToken>c=</SessionToken></Credentials></AssumeRoleResult></AssumeRoleResponse>',
  );
  deepEqual(await take(), { accessKeyId: 'A', secretAccessKey: 'b+/', sessionToken: 'c=' });
});

for (const [status, code] of [
  [403, 'AccessDenied'],
  [400, 'ValidationError'],
] as const)
  test(`role: ${code} means that the role does not trust us, and is not retried`, async () => {
    const calls = refusing(status, code);
    equal(await take(), undefined);
    equal(calls(), 1);
  });

test('role: throttling by STS is retried and says nothing about the role', async () => {
  const calls = refusing(400, 'Throttling');
  await rejects(take(), { name: 'Throttling' });
  equal(calls(), 3);
});

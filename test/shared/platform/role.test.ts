import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { wire } from '../../../shared/platform/aws-call.ts';
import { takeRole } from '../../../shared/platform/index.ts';

Object.assign(process.env, { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'TEST', AWS_SECRET_ACCESS_KEY: 'TEST' });
const { exchange } = wire;
afterAll(() => Object.assign(wire, { exchange }));

const answering = (status: number, body: string) => {
  let calls = 0;
  wire.exchange = async () => {
    calls += 1;
    return { status, headers: {}, body: Buffer.from(body) };
  };
  return () => calls;
};
const refusing = (status: number, code: string) =>
  answering(
    status,
    `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n  <Error>\n    <Type>Sender</Type>\n    <Code>${code}</Code>\n    <Message>no</Message>\n  </Error>\n  <RequestId>1</RequestId>\n</ErrorResponse>`,
  );
const take = () => takeRole({ roleArn: 'arn:aws:iam::123456789012:role/theirs', externalId: 'ours', sessionName: 'session' });

test('a role that is taken is what STS tells of it', async () => {
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
  test(`a role that is refused by ${code} does not let us in, and is asked once`, async () => {
    const calls = refusing(status, code);
    equal(await take(), undefined);
    equal(calls(), 1);
  });

test('that STS is busy says nothing about the role', async () => {
  const calls = refusing(400, 'Throttling');
  await rejects(take(), { name: 'Throttling' });
  equal(calls(), 3);
});

import assert from 'node:assert/strict';
import { KMSClient, ListKeysCommand, SignCommand } from '@aws-sdk/client-kms';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { type TestContext, test } from 'vitest';
import { awsAuthorization } from '../../../../infra/local/base/aws-authorization.ts';
import { AwsError, type Engine } from '../../../../infra/local/base/aws-service.ts';
import { jsonService, restService } from '../../../../infra/local/engines/shared/aws-protocols.ts';
import { allow, frontOf } from '../../../harness/aws/embedded-aws.ts';

/** An engine that needs one permission and runs the given function. */
const engine = (run: () => unknown): Engine => ({
  needs: ({ action }) => (action === 'ListKeys' ? undefined : [{ action: `kms:${action}`, resources: ['key'] }]),
  call: run,
});

const start = async (t: TestContext, run: () => unknown = () => ({})) => {
  const { url, client, used } = await frontOf(t, {
    services: {
      kms: jsonService('1.1', engine(run)),
      ses: restService({ 'POST /v2/email/outbound-emails': 'SendEmail' }, engine(run)),
    },
    callers: { Signer: [allow('kms:Sign', 'key')], Nobody: [] },
  });
  const sign = (name?: string) =>
    new KMSClient(client(name)).send(
      new SignCommand({ KeyId: 'x', Message: new Uint8Array(1), SigningAlgorithm: 'ECDSA_SHA_256' }),
    );
  const mail = (name?: string) => new SESv2Client(client(name)).send(new SendEmailCommand({ Content: {} }));
  return { url, client, used, sign, mail };
};

test('aws endpoint: a call needs a grant in the policies of its access key', async (t) => {
  let calls = 0;
  const { sign, used } = await start(t, () => {
    calls++;
    return {};
  });
  await sign('Signer');
  await assert.rejects(sign('Nobody'), {
    name: 'AccessDeniedException',
    message:
      'User: Nobody is not authorized to perform: kms:Sign on resource: key because no identity-based policy allows the kms:Sign action',
  });
  assert.equal(calls, 1);
  assert.deepEqual(used(), [{ principal: 'Signer', action: 'kms:Sign', resource: 'key', conditions: [] }]);
});

test('aws endpoint: an unknown key is refused like on AWS', async (t) => {
  const { sign } = await start(t);
  await assert.rejects(sign('AKIAUNKNOWN'), { name: 'UnrecognizedClientException' });
});

test("aws endpoint: the stage's own key has all permissions and does not count as use", async (t) => {
  const { sign, used } = await start(t);
  await sign();
  assert.deepEqual(used(), []);
});

test('aws endpoint: access denied has the status of its protocol: 400 for JSON services, 403 for REST services', async (t) => {
  const { sign, mail } = await start(t);
  const status = (error: { $metadata?: { httpStatusCode?: number } }) => error.$metadata?.httpStatusCode;
  await assert.rejects(sign('Nobody'), (error: object) => status(error) === 400);
  await assert.rejects(mail('Nobody'), (error: object) => status(error) === 403);
});

test("aws endpoint: an engine's error keeps its name, message and status", async (t) => {
  const { sign, mail } = await start(t, () => {
    throw new AwsError('NotFoundException', 'no such key', 404);
  });
  for (const call of [sign(), mail()]) await assert.rejects(call, { name: 'NotFoundException', message: 'no such key' });
});

test('aws endpoint: an unsupported operation or service is named in the error', async (t) => {
  const { url, client } = await start(t);
  await assert.rejects(new KMSClient(client()).send(new ListKeysCommand({})), /does not support kms ListKeys/);
  const ask = (authorization?: string) => fetch(url, { method: 'POST', ...(authorization && { headers: { authorization } }) });
  const sns = await ask(awsAuthorization({ accessKeyId: 'LOCALROOT', region: 'eu-central-1', service: 'sns' }));
  assert.match(await sns.text(), /has no AWS service \\"sns\\"/);
  assert.equal((await ask()).status, 403);
});

test('aws endpoint: a body that is not a JSON object is a SerializationException', async (t) => {
  const { url, sign } = await start(t);
  for (const body of ['{', '[]', '"x"', 'null']) {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        authorization: awsAuthorization({ accessKeyId: 'LOCALROOT', region: 'eu-central-1', service: 'kms' }),
        'x-amz-target': 'TrentService.Sign',
      },
    });
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as { __type: string }).__type, 'SerializationException');
  }
  await sign();
});

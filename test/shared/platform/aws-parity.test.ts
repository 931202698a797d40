/** What we send to AWS is what the official SDK would send for the same call, signature included. */
import { deepEqual, equal } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as ddb from '@aws-sdk/client-dynamodb';
import * as kms from '@aws-sdk/client-kms';
import * as scheduler from '@aws-sdk/client-scheduler';
import * as secrets from '@aws-sdk/client-secrets-manager';
import * as ses from '@aws-sdk/client-sesv2';
import * as sfn from '@aws-sdk/client-sfn';
import * as sqs from '@aws-sdk/client-sqs';
import * as sts from '@aws-sdk/client-sts';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { decodeItem, encodeItem } from '../../../shared/platform/attribute.ts';
import { endpointOf } from '../../../shared/platform/aws-endpoint.ts';
import * as platform from '../../../shared/platform/index.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', sessionToken: 'IQo=/+' };
const region = 'eu-central-1';
let last: Sent | undefined;
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  last = { method: request.method!, url: request.url!, headers: request.headers as Record<string, string>, body };
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL: url, AWS_REGION: region, AWS_ACCESS_KEY_ID: keys.accessKeyId },
    ...{ AWS_SECRET_ACCESS_KEY: keys.secretAccessKey, AWS_SESSION_TOKEN: keys.sessionToken },
    ...{
      TABLE_NAME: 'Table',
      TASK_QUEUE_URL: `${url}/1/Tasks`,
      SECRETS_KEY_ID: 'seals',
      DATA_KEY_ID: 'wraps',
      TOKEN_KEY_IDS: 'signs',
    },
    ...{ SERVICE_SECRET_ID: 'secret', MAIL_FROM: 'a@example.com', BACKUP_WORKFLOW_ARN: 'arn:aws:states:x:1:stateMachine:b' },
    ...{ SCHEDULE_GROUP_NAME: 'group', SCHEDULE_QUEUE_ARN: 'q', SCHEDULE_ROLE_ARN: 'r', SCHEDULE_DEAD_LETTERS_ARN: 'd' },
  });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** What a call sends; that `{}` is not the answer it waits for is no matter here. */
const sentBy = async (call: () => Promise<unknown>): Promise<Sent> => {
  last = undefined;
  await call().catch(() => undefined);
  return last!;
};

/** Signs what arrived once more, with the very headers it says were signed. */
const signatureOf = ({ method, url, headers, body }: Sent): string | undefined => {
  const [, credential = '', names = ''] = /Credential=([^,]+), SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const [, , signedRegion = '', service = ''] = credential.split('/');
  const signed = Object.fromEntries(names.split(';').map((name) => [name, headers[name] ?? '']));
  const { host = '', 'x-amz-date': time = '', 'x-amz-security-token': _token, ...rest } = signed;
  const at = new Date(time.replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z'));
  const { pathname: path, searchParams } = new URL(url, 'http://x');
  const call = { method, host, path, query: Object.fromEntries(searchParams), headers: rest, body };
  return platform.signedHeaders(call, { service, region: signedRegion }, keys, at).authorization;
};

/** All that matters of it: tokens that make tries one call differ, and JSON says the same in any order. */
const meaning = ({ method, url, headers, body }: Sent): object => {
  const { pathname, searchParams } = new URL(url, 'http://x');
  searchParams.delete('clientToken');
  const isForm = headers['content-type']?.includes('form');
  const said = isForm ? Object.fromEntries(new URLSearchParams(body)) : (JSON.parse(body || '{}') as Record<string, unknown>);
  const { ClientToken: _one, ClientRequestToken: _two, ...rest } = said;
  const query = Object.fromEntries(searchParams);
  return { method, pathname, query, target: headers['x-amz-target'], type: headers['content-type'], ...rest };
};

const binary = Buffer.from([0, 255, 1]);
const context = { organization: 'org_1' };
const letter = { subject: 'Grüße', text: 'text', html: '<b>html</b>' };
const item = { pk: 'P', sk: 'S', binary, none: null, list: [1, 'a', { b: true }], gone: undefined, half: 0.5 };
const entry = { name: 'org_1.sch_1', expression: 'cron(0 3 * * ? *)', timezone: 'UTC', body: '{}' };
const target = {
  ...{ Arn: 'q', RoleArn: 'r', Input: '{}', DeadLetterConfig: { Arn: 'd' } },
  RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
};
const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
const client = <T>(Client: new (config: object) => T): T => new Client({ region, credentials: keys, maxAttempts: 1 });

for (const [name, ours, theirs] of [
  [
    'DynamoDB Query',
    () => platform.query({ pk: 'P', prefix: 'S#', limit: 5, after: 'S#1', only: ['sk'] }),
    () =>
      client(ddb.DynamoDBClient).send(
        new ddb.QueryCommand({
          ...{ TableName: 'Table', ConsistentRead: true, KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to' },
          ...{
            ProjectionExpression: '#only_sk',
            ExpressionAttributeNames: { '#only_sk': 'sk' },
            ScanIndexForward: true,
            Limit: 5,
          },
          ExpressionAttributeValues: { ':pk': { S: 'P' }, ':from': { S: 'S#' }, ':to': { S: 'S#\u{10FFFF}' } },
          ExclusiveStartKey: { pk: { S: 'P' }, sk: { S: 'S#1' } },
        }),
      ),
  ],
  [
    'DynamoDB TransactWriteItems',
    () => platform.commit([platform.create(item)]),
    () =>
      client(ddb.DynamoDBClient).send(
        new ddb.TransactWriteItemsCommand({
          TransactItems: [
            {
              Put: {
                ...{ TableName: 'Table', ConditionExpression: 'attribute_not_exists(pk)' },
                Item: marshall(item, { removeUndefinedValues: true }),
              },
            },
          ],
        }),
      ),
  ],
  [
    'KMS Encrypt',
    () => platform.sealSecret('plain', context),
    () =>
      client(kms.KMSClient).send(
        new kms.EncryptCommand({ KeyId: 'seals', Plaintext: Buffer.from('plain'), EncryptionContext: context }),
      ),
  ],
  [
    'KMS Decrypt',
    () => platform.openDataKey(binary, context),
    () => client(kms.KMSClient).send(new kms.DecryptCommand({ CiphertextBlob: binary, EncryptionContext: context })),
  ],
  [
    'KMS GenerateDataKey',
    () => platform.makeDataKey(context),
    () =>
      client(kms.KMSClient).send(
        new kms.GenerateDataKeyCommand({ KeyId: 'wraps', KeySpec: 'AES_256', EncryptionContext: context }),
      ),
  ],
  [
    'Secrets Manager GetSecretValue',
    () => platform.secretValue('SERVICE_SECRET_ID'),
    () => client(secrets.SecretsManagerClient).send(new secrets.GetSecretValueCommand({ SecretId: 'secret' })),
  ],
  [
    'SQS SendMessageBatch',
    () => platform.sendTasks('TASK_QUEUE_URL', [{ body: 'ü', sender: 'org_1', delaySeconds: 1.5 }]),
    () =>
      client(sqs.SQSClient).send(
        new sqs.SendMessageBatchCommand({
          QueueUrl: process.env.TASK_QUEUE_URL,
          Entries: [{ Id: '0', MessageBody: 'ü', MessageGroupId: 'org_1', DelaySeconds: 2 }],
        }),
      ),
  ],
  [
    'Step Functions StartExecution',
    () => platform.startWorkflow('BACKUP_WORKFLOW_ARN', 'bkp_1', { a: 1 }),
    () =>
      client(sfn.SFNClient).send(
        new sfn.StartExecutionCommand({ stateMachineArn: process.env.BACKUP_WORKFLOW_ARN, name: 'bkp_1', input: '{"a":1}' }),
      ),
  ],
  [
    'SES SendEmail',
    () => platform.sendMail('b@example.com', letter),
    () =>
      client(ses.SESv2Client).send(
        new ses.SendEmailCommand({
          ...{ FromEmailAddress: 'a@example.com', Destination: { ToAddresses: ['b@example.com'] } },
          Content: {
            Simple: { Subject: utf8(letter.subject), Body: { Text: utf8(letter.text), Html: utf8(letter.html) } },
          },
        }),
      ),
  ],
  [
    'Scheduler CreateSchedule',
    () => platform.putEntry(entry),
    () =>
      client(scheduler.SchedulerClient).send(
        new scheduler.CreateScheduleCommand({
          ...{ Name: entry.name, GroupName: 'group', ScheduleExpression: entry.expression, ScheduleExpressionTimezone: 'UTC' },
          ...{ FlexibleTimeWindow: { Mode: 'OFF' }, State: 'ENABLED', Target: target },
        }),
      ),
  ],
  [
    'Scheduler DeleteSchedule',
    () => platform.removeEntry('a.b'),
    () => client(scheduler.SchedulerClient).send(new scheduler.DeleteScheduleCommand({ Name: 'a.b', GroupName: 'group' })),
  ],
  [
    'STS AssumeRole',
    () => platform.takeRole({ roleArn: 'arn:aws:iam::1:role/x y', externalId: 'org_1', sessionName: 'org_1' }),
    () =>
      client(sts.STSClient).send(
        new sts.AssumeRoleCommand({
          ...{ RoleArn: 'arn:aws:iam::1:role/x y', RoleSessionName: 'org_1', DurationSeconds: 3_600, ExternalId: 'org_1' },
        }),
      ),
  ],
] as const)
  test(`${name} is sent as the SDK sends it, and signed so that the SDK's own signature is ours`, async () => {
    const [own, sdk] = [await sentBy(ours), await sentBy(theirs)];
    deepEqual(meaning(own), meaning(sdk));
    equal(signatureOf(sdk), sdk.headers.authorization);
    equal(signatureOf(own), own.headers.authorization);
  });

test('services are where the SDK looks for them, in every part of AWS', async () => {
  const { AWS_ENDPOINT_URL: url } = process.env;
  delete process.env.AWS_ENDPOINT_URL;
  try {
    for (const place of [
      'eu-central-1',
      'us-gov-west-1',
      'cn-north-1',
      'us-iso-east-1',
      'us-isob-east-1',
      'eu-isoe-west-1',
      'eusc-de-east-1',
    ])
      for (const [service, Client, command] of [
        ['dynamodb', ddb.DynamoDBClient, new ddb.ListTablesCommand({})],
        ['kms', kms.KMSClient, new kms.ListKeysCommand({})],
        ['states', sfn.SFNClient, new sfn.ListStateMachinesCommand({})],
        ['ses', ses.SESv2Client, new ses.GetAccountCommand({})],
        ['sqs', sqs.SQSClient, new sqs.ListQueuesCommand({})],
        ['sts', sts.STSClient, new sts.GetCallerIdentityCommand({})],
        ['scheduler', scheduler.SchedulerClient, new scheduler.ListSchedulesCommand({})],
        ['secretsmanager', secrets.SecretsManagerClient, new secrets.ListSecretsCommand({})],
      ] as const) {
        let asked = '';
        const handle = async ({ hostname }: { hostname: string }) => {
          asked = hostname;
          throw new Error('no further');
        };
        const sdk = new Client({ region: place, credentials: keys, maxAttempts: 1, requestHandler: { handle } as never });
        await (sdk as unknown as { send(command: unknown): Promise<unknown> }).send(command).catch(() => undefined);
        equal(endpointOf(service, place).host, asked);
      }
  } finally {
    process.env.AWS_ENDPOINT_URL = url;
  }
});

/** The SDK loses a value of the name that is left out here; we keep it. */
const names = fc.string().filter((name) => name !== '__proto__');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(names, tie('any'), { maxKeys: 3 }),
  ),
}));
test('values are written down as the SDK writes them, and come back as they were', () =>
  fc.assert(
    fc.property(fc.dictionary(names, value.any, { maxKeys: 4 }), (some) => {
      const plain = Object.fromEntries(Object.entries(some));
      const text = (attributes: object): unknown =>
        JSON.parse(
          JSON.stringify(attributes, (_, part) => (part instanceof Uint8Array ? Buffer.from(part).toString('base64') : part)),
        );
      deepEqual(text(encodeItem(plain)), text(marshall(plain)));
      deepEqual(JSON.stringify(decodeItem(encodeItem(plain))), JSON.stringify(plain));
    }),
  ));

test('what would come back as something else is refused', () => {
  for (const bad of [Number.NaN, Infinity, 2 ** 53, new Date(0), () => 0, 1n, new Set(['a'])])
    try {
      encodeItem({ bad });
      throw new Error(`took ${String(bad)}`);
    } catch (error) {
      equal(error instanceof TypeError || error instanceof RangeError, true, String(error));
    }
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as ddb from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import * as sqs from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, test } from 'vitest';
import { openCloudFormationClient, textAt } from '../../../../infra/deploy/cloudformation-client.ts';
import { followStack } from '../../../../infra/deploy/follow-stack.ts';
import { startAws } from '../../../../infra/local/aws/start-aws.ts';
import { type Aws, type AwsOptions, rootAccessKeyId } from '../../../../infra/local/base/types.ts';
import { startDynamoDbProcess } from '../../../../infra/local/engines/dynamodb/dynamodb-process.ts';
import { account, allow, clientAt, deny, principalOf, region, resource, tempDir } from '../../../harness/aws/embedded-aws.ts';

const tableArn = `arn:aws:dynamodb:${region}:${account}:table/main`;
const queueArn = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;
const leading = (...patterns: string[]) => ({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } });

const callers = {
  Reader: [allow('dynamodb:GetItem', tableArn), allow('dynamodb:UpdateItem', tableArn, leading('RATE#*'))],
  Writer: [
    allow('dynamodb:*', tableArn),
    // Granted separately, so that its use is visible.
    allow('dynamodb:ConditionCheckItem', tableArn),
    deny('dynamodb:DeleteItem', tableArn, leading('AUDIT#*')),
  ],
  Tenant: [allow('dynamodb:*', tableArn, { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': 'ORG#1' } })],
  Streamer: [allow('dynamodb:*', `${tableArn}/stream/*`)],
  Sender: [allow('sqs:SendMessage', queueArn('tasks'))],
};

const schema = [
  { AttributeName: 'pk', KeyType: 'HASH' },
  { AttributeName: 'sk', KeyType: 'RANGE' },
];
const resources = [
  resource('AWS::DynamoDB::Table', {
    name: 'main',
    properties: {
      KeySchema: schema,
      AttributeDefinitions: schema.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' })),
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    },
  }),
  resource('AWS::SQS::Queue', { name: 'dead', properties: {} }),
  resource('AWS::SQS::Queue', { name: 'slow', properties: { DelaySeconds: 900 } }),
  resource('AWS::SQS::Queue', {
    name: 'tasks',
    properties: { VisibilityTimeout: 300, RedrivePolicy: { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 2 } },
    arn: queueArn('tasks'),
  }),
];

const options = (dir: string): AwsOptions => ({
  dir,
  region,
  account,
  delayScale: 1_000,
  principal: principalOf(callers),
  invoke: async () => null,
});

let aws: Aws;
let attributes: Awaited<ReturnType<Aws['provision']>>;
const cleanups: (() => void)[] = [];
const dir = tempDir({ onTestFinished: (fn) => void cleanups.push(fn as () => void) });

beforeAll(async () => {
  aws = await startAws(options(dir));
  attributes = await aws.provision(resources);
});
afterAll(async () => {
  await aws.stop();
  for (const clean of cleanups) clean();
});

const table = (name?: string) => new ddb.DynamoDBClient(clientAt(aws.url, name));
const queues = (name?: string) => new sqs.SQSClient(clientAt(aws.url, name));
const TableName = 'main';
const key = (pk: string, sk = 'A') => ({ pk: { S: pk }, sk: { S: sk } });
const put = (pk: string, name?: string) => table(name).send(new ddb.PutItemCommand({ TableName, Item: key(pk) }));
const denied = { name: 'AccessDeniedException' };

test('dynamodb: an item is written and read by roles that allow it', async () => {
  await put('ORG#1');
  const read = (name: string) => table(name).send(new ddb.GetItemCommand({ TableName, Key: key('ORG#1') }));
  assert.deepEqual((await read('Reader')).Item, key('ORG#1'));
  await assert.rejects(put('ORG#1', 'Reader'), denied);
  await assert.rejects(read('Sender'), denied);
  await assert.rejects(table('Writer').send(new ddb.GetItemCommand({ TableName: 'other', Key: key('x') })), denied);
});

test('dynamodb: a read-only role may update only the keys of its condition', async () => {
  const update = (pk: string) =>
    table('Reader').send(
      new ddb.UpdateItemCommand({
        TableName,
        Key: key(pk),
        UpdateExpression: 'ADD n :1',
        ExpressionAttributeValues: { ':1': { N: '1' } },
      }),
    );
  await update('RATE#1');
  await assert.rejects(update('ORG#1'), denied);
});

test('dynamodb: each operation of a transaction is authorized, and one denial fails all', async () => {
  const remove = (...pks: string[]) =>
    table('Writer').send(
      new ddb.TransactWriteItemsCommand({ TransactItems: pks.map((pk) => ({ Delete: { TableName, Key: key(pk) } })) }),
    );
  await put('ORG#2');
  await put('AUDIT#2');
  await assert.rejects(remove('ORG#2', 'AUDIT#2'), /not authorized to perform: dynamodb:DeleteItem .* with an explicit deny/);
  assert.ok((await table().send(new ddb.GetItemCommand({ TableName, Key: key('ORG#2') }))).Item);
  await remove('ORG#2');
  // Writing audit entries remains possible.
  await table('Writer').send(
    new ddb.TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: key('AUDIT#3') } },
        { ConditionCheck: { TableName, Key: key('AUDIT#2'), ConditionExpression: 'attribute_exists(pk)' } },
      ],
    }),
  );
  assert.ok(aws.used().some(({ principal, action }) => principal === 'Writer' && action === 'dynamodb:ConditionCheckItem'));
});

test('dynamodb: a role limited to one partition reads and queries only that, however the key is written', async () => {
  await put('ORG#1');
  const query = (pk: string, expression = 'pk = :pk', names?: Record<string, string>) =>
    table('Tenant').send(
      new ddb.QueryCommand({
        TableName,
        KeyConditionExpression: expression,
        ExpressionAttributeValues: { ':pk': { S: pk } },
        ...(names && { ExpressionAttributeNames: names }),
      }),
    );
  assert.equal((await query('ORG#1')).Count, 1);
  assert.equal((await query('ORG#1', '(#k = :pk)', { '#k': 'pk' })).Count, 1);
  await assert.rejects(query('ORG#9'), denied);
  await assert.rejects(query('ORG#9', ':pk = pk'), denied);
  await assert.rejects(query('ORG#9', '#k=:pk', { '#k': 'pk' }), denied);
  const batch = (...pks: string[]) =>
    table('Tenant').send(new ddb.BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: pks.map((pk) => key(pk)) } } }));
  assert.equal((await batch('ORG#1')).Responses?.[TableName]?.length, 1);
  await assert.rejects(batch('ORG#1', 'ORG#9'), denied);
});

test('dynamodb: the stream reports every change under the ARN in the template', async () => {
  const StreamArn = attributes.main?.StreamArn;
  assert.match(StreamArn!, new RegExp(`^${tableArn}/stream/.+`));
  const client = new streams.DynamoDBStreamsClient(clientAt(aws.url, 'Streamer'));
  await put('STREAM#1');
  const { StreamDescription } = await client.send(new streams.DescribeStreamCommand({ StreamArn }));
  assert.equal(StreamDescription?.StreamArn, StreamArn);
  const { ShardId } = StreamDescription!.Shards!.at(-1)!;
  const { ShardIterator } = await client.send(
    new streams.GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
  );
  const { Records } = await client.send(new streams.GetRecordsCommand({ ShardIterator }));
  assert.ok(Records?.some(({ dynamodb, eventName }) => eventName === 'INSERT' && dynamodb?.NewImage?.pk?.S === 'STREAM#1'));
  const stranger = new streams.DynamoDBStreamsClient(clientAt(aws.url, 'Reader'));
  await assert.rejects(stranger.send(new streams.DescribeStreamCommand({ StreamArn })), denied);
  await assert.rejects(stranger.send(new streams.GetRecordsCommand({ ShardIterator })), denied);
});

test('dynamodb: time to live follows the template', async () => {
  const { TimeToLiveDescription } = await table().send(new ddb.DescribeTimeToLiveCommand({ TableName }));
  assert.deepEqual(TimeToLiveDescription, { AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' });
});

test("dynamodb: DynamoDB's own errors are unchanged", async () => {
  const clash = table().send(
    new ddb.TransactWriteItemsCommand({
      TransactItems: [{ ConditionCheck: { TableName, Key: key('nobody'), ConditionExpression: 'attribute_exists(pk)' } }],
    }),
  );
  await assert.rejects(clash, (error: ddb.TransactionCanceledException) => {
    assert.equal(error.name, 'TransactionCanceledException');
    return error.CancellationReasons?.[0]?.Code === 'ConditionalCheckFailed';
  });
});

const receive = async (QueueUrl: string | undefined, WaitTimeSeconds = 20) => {
  const { Messages } = await queues().send(
    new sqs.ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MessageSystemAttributeNames: ['ApproximateReceiveCount'] }),
  );
  return Messages?.[0];
};

test('sqs: a message is sent to the queue URL of the template by roles that allow it', async () => {
  const QueueUrl = attributes.tasks?.QueueUrl;
  const send = (name: string) => queues(name).send(new sqs.SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
  await assert.rejects(send('Reader'), denied);
  await send('Sender');
  const message = await receive(QueueUrl);
  assert.equal(message?.Body, 'hello');
  await queues().send(new sqs.DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
  const { QueueUrl: asked } = await queues().send(new sqs.GetQueueUrlCommand({ QueueName: 'tasks' }));
  assert.equal(asked, QueueUrl);
  const { Attributes } = await queues().send(
    new sqs.GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn', 'RedrivePolicy'] }),
  );
  assert.equal(Attributes?.QueueArn, queueArn('tasks'));
  assert.equal(JSON.parse(Attributes!.RedrivePolicy!).deadLetterTargetArn, queueArn('dead'));
});

test('sqs: delays and back-off are a thousand times shorter, visibility timeouts are not', async () => {
  const { slow, tasks } = attributes;
  await queues().send(new sqs.SendMessageCommand({ QueueUrl: slow?.QueueUrl, MessageBody: 'queue delay' }));
  assert.equal((await receive(slow?.QueueUrl))?.Body, 'queue delay');
  await queues().send(new sqs.SendMessageCommand({ QueueUrl: tasks?.QueueUrl, MessageBody: 'delayed', DelaySeconds: 600 }));
  const first = await receive(tasks?.QueueUrl);
  assert.equal(first?.Body, 'delayed');
  assert.equal(await receive(tasks?.QueueUrl, 0), undefined);
  await queues().send(
    new sqs.ChangeMessageVisibilityCommand({
      QueueUrl: tasks?.QueueUrl,
      ReceiptHandle: first?.ReceiptHandle,
      VisibilityTimeout: 600,
    }),
  );
  const second = await receive(tasks?.QueueUrl);
  assert.equal(second?.Attributes?.ApproximateReceiveCount, '2');
  await queues().send(new sqs.DeleteMessageCommand({ QueueUrl: tasks?.QueueUrl, ReceiptHandle: second?.ReceiptHandle }));
  const tooLong = new sqs.SendMessageCommand({ QueueUrl: tasks?.QueueUrl, MessageBody: 'x', DelaySeconds: 901 });
  await assert.rejects(queues().send(tooLong), /DelaySeconds/);
});

test('sqs: a message received too often is dead-lettered and can be redriven', async () => {
  const { tasks, dead } = attributes;
  await queues().send(new sqs.SendMessageCommand({ QueueUrl: tasks?.QueueUrl, MessageBody: 'poison' }));
  for (let n = 0; n < 2; n++) {
    const message = await receive(tasks?.QueueUrl);
    assert.equal(message?.Body, 'poison');
    // Zero returns a message at once.
    await queues().send(
      new sqs.ChangeMessageVisibilityCommand({
        QueueUrl: tasks?.QueueUrl,
        ReceiptHandle: message?.ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    );
  }
  assert.equal(await receive(tasks?.QueueUrl, 1), undefined);
  const move = (SourceArn: string, name?: string) => queues(name).send(new sqs.StartMessageMoveTaskCommand({ SourceArn }));
  await assert.rejects(move(queueArn('dead'), 'Sender'), denied);
  await assert.rejects(move(queueArn('tasks')), /must be configured as a Dead Letter Queue/);
  await move(queueArn('dead'));
  const { Results } = await queues().send(new sqs.ListMessageMoveTasksCommand({ SourceArn: queueArn('dead') }));
  assert.deepEqual(
    Results?.map(({ Status, DestinationArn, ApproximateNumberOfMessagesMoved: moved }) => [Status, DestinationArn, moved]),
    [['COMPLETED', queueArn('tasks'), 1]],
  );
  assert.equal(await receive(dead?.QueueUrl, 0), undefined);
  const back = await receive(tasks?.QueueUrl);
  assert.deepEqual([back?.Body, back?.Attributes?.ApproximateReceiveCount], ['poison', '1']);
});

test('cloudformation: the stage deploys stacks, and refuses code that is in none of its buckets', async () => {
  const client = openCloudFormationClient({
    region,
    credentials: async () => ({ accessKeyId: rootAccessKeyId, secretAccessKey: 'any' }),
    env: { AWS_ENDPOINT_URL: aws.url },
    signal: AbortSignal.timeout(30_000),
  });
  const deploy = async (StackName: string, Resources: object): Promise<string> => {
    const since = new Date();
    const created = await client.call('CreateStack', { StackName, TemplateBody: JSON.stringify({ Resources }) });
    const stackId = textAt(created, 'StackId');
    const { status, failures } = await followStack(client, { stackId, since, signal: AbortSignal.timeout(30_000) });
    return [status, ...failures].join(' ');
  };
  assert.equal(await deploy('queues', { Work: { Type: 'AWS::SQS::Queue' } }), 'CREATE_COMPLETE');
  const Properties = { Code: { S3Bucket: 'nowhere', S3Key: 'code.zip' } };
  assert.match(await deploy('code', { Fn: { Type: 'AWS::Lambda::Function', Properties } }), /^ROLLBACK_COMPLETE Fn .*NoSuchKey/);
});

test('aws: items, streams and messages survive a restart', async () => {
  await put('KEPT#1');
  await queues().send(new sqs.SendMessageCommand({ QueueUrl: attributes.dead?.QueueUrl, MessageBody: 'kept' }));
  const { StreamArn } = attributes.main!;
  await aws.stop();
  aws = await startAws(options(dir));
  attributes = await aws.provision(resources);
  assert.equal(attributes.main?.StreamArn, StreamArn);
  assert.ok((await table().send(new ddb.GetItemCommand({ TableName, Key: key('KEPT#1') }))).Item);
  const bodies = [await receive(attributes.dead?.QueueUrl), await receive(attributes.dead?.QueueUrl, 0)].map(
    (message) => message?.Body,
  );
  assert.ok(bodies.includes('kept'));
  // Its receiver (the test before) ended with the stage, so its visibility timeout is not waited for.
  assert.equal((await receive(attributes.tasks?.QueueUrl))?.Body, 'poison');
});

test('aws: without Java the error is one line that says what to install', async (t) => {
  const bin = join(tempDir(t), 'bin');
  mkdirSync(bin);
  for (const tool of ['sh', 'cat'])
    symlinkSync(existsSync(`/bin/${tool}`) ? `/bin/${tool}` : `/usr/bin/${tool}`, join(bin, tool));
  const { PATH } = process.env;
  process.env.PATH = bin;
  t.onTestFinished(() => {
    process.env.PATH = PATH;
  });
  await assert.rejects(startDynamoDbProcess(join(bin, 'db')), (error: Error) => {
    assert.match(error.message, /needs Java 17 or newer: install/);
    return !error.message.includes('\n');
  });
});

// A killed stage cannot clean up.
test('aws: a killed process leaves no DynamoDB running, and written items survive', async (t) => {
  const target = tempDir(t);
  const script = `
    import { startDynamoDbProcess } from '${import.meta.resolve('../../../../infra/local/engines/dynamodb/dynamodb-process.ts')}';
    const { port } = await startDynamoDbProcess(process.argv[1]);
    console.log(port);
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim())),
  );
  const local = (at: string) => new ddb.DynamoDBClient({ ...clientAt(`http://127.0.0.1:${at}`, 'local') });
  const { KeySchema, AttributeDefinitions } = resources[0]!.properties as Pick<
    ddb.CreateTableCommandInput,
    'KeySchema' | 'AttributeDefinitions'
  >;
  await local(port).send(
    new ddb.CreateTableCommand({ TableName, KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' }),
  );
  await local(port).send(new ddb.PutItemCommand({ TableName, Item: key('WRITTEN') }));
  child.kill('SIGKILL');
  // Without a time limit: the machine may be slow.
  while (
    await fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    )
  )
    await pause(50);
  const again = await startDynamoDbProcess(target);
  t.onTestFinished(() => again.stop());
  const { Item } = await local(String(again.port)).send(new ddb.GetItemCommand({ TableName, Key: key('WRITTEN') }));
  assert.deepEqual(Item, key('WRITTEN'));
});

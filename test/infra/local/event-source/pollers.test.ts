import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { startFauxqs } from 'fauxqs';
import { afterAll, describe, test } from 'vitest';
import { openState } from '../../../../infra/local/base/stage-state.ts';
import { compileFilterCriteria } from '../../../../infra/local/event-source/filter-criteria.ts';
import { failedOf, type Mapping, type PollerContext } from '../../../../infra/local/event-source/mapping.ts';
import { startQueuePoller } from '../../../../infra/local/event-source/queue-poller.ts';
import { makeStreamDelivery } from '../../../../infra/local/event-source/stream-delivery.ts';
import { startStreamPoller } from '../../../../infra/local/event-source/stream-poller.ts';
import type { StreamRecord } from '../../../../infra/local/event-source/stream-record.ts';
import { throttled } from '../../../../infra/local/lambda/function-spec.ts';
import { fedInstancesMax } from '../../../../infra/local/lambda/host.ts';
import { stageVariable } from '../../../harness/stage/client.ts';
import { documentClient } from '../../../harness/stage/table.ts';

const mappingOf = (sourceArn: string, properties: Record<string, unknown> = {}, batchSize = 10): Mapping => ({
  id: 'Feed',
  sourceArn,
  functionName: 'worker',
  batchSize,
  filterCriteria: properties.FilterCriteria,
  reportsFailures: true,
  properties,
});

type Invoke = PollerContext['invoke'];
const outsideOf = (invoke: Invoke, warn: (line: string) => void = () => {}): PollerContext => ({
  endpoint: stageVariable('STAGE_AWS_URL'),
  region: stageVariable('STAGE_REGION'),
  accessKeyId: stageVariable('STAGE_AWS_KEY'),
  invoke,
  warn,
  delayScale: 100,
});

const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const endMs = Date.now() + 300_000; !(await holds()); await pause(10)) {
    if (Date.now() > endMs) assert.fail(`timed out waiting until ${what}`);
  }
};

describe('a filter', () => {
  const newTask = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'TASK#' }] } } } };
  const record = (eventName: string, S: string) => ({ eventName, dynamodb: { Keys: { sk: { S } } } });
  const passes = (pattern: object, value: unknown) =>
    compileFilterCriteria({ Filters: [{ Pattern: JSON.stringify(pattern) }] })(value);

  test('passes records that match all its names', () => {
    assert.equal(passes(newTask, record('INSERT', 'TASK#1')), true);
    assert.equal(passes(newTask, record('MODIFY', 'TASK#1')), false);
    assert.equal(passes(newTask, record('INSERT', 'EVENT#1')), false);
    assert.equal(passes(newTask, { eventName: 'INSERT' }), false);
  });
  test('passes everything if there is none', () => {
    assert.equal(compileFilterCriteria(undefined)({}), true);
    assert.equal(compileFilterCriteria({ Filters: [] })({}), true);
  });
  test('supports the operators', () => {
    assert.equal(passes({ a: [{ exists: false }] }, {}), true);
    assert.equal(passes({ a: [{ exists: true }] }, {}), false);
    assert.equal(passes({ a: [{ suffix: '.png' }] }, { a: 'x.png' }), true);
    assert.equal(passes({ a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'y' }), false);
    assert.equal(passes({ a: [{ 'equals-ignore-case': 'YES' }] }, { a: 'yes' }), true);
    assert.equal(passes({ a: ['x', null] }, { a: null }), true);
  });
  test('rejects an unknown operator', () => assert.throws(() => passes({ a: [{ cidr: '10.0.0.0/8' }] }, { a: 'x' }), /cidr/));
});

describe("a batch's response", () => {
  const mapping = mappingOf('arn:aws:sqs:x:1:q');
  const failed = (result: unknown) => [...failedOf(mapping, result, ['1', '2', '3'])];
  for (const nothing of [null, undefined, '', {}, { batchItemFailures: null }, { batchItemFailures: [] }]) {
    test(`${JSON.stringify(nothing)} means success`, () => assert.deepEqual(failed(nothing), []));
  }
  test('lists the failed messages', () => assert.deepEqual(failed({ batchItemFailures: [{ itemIdentifier: '2' }] }), ['2']));
  for (const bad of [
    { batchItemFailures: [{ itemIdentifier: 'unknown' }] },
    { batchItemFailures: [{ itemIdentifier: '' }] },
    { batchItemFailures: [{ itemIdentifier: null }] },
    { batchItemFailures: [{}] },
    { batchItemFailures: ['2'] },
    { batchItemFailures: 'all' },
  ]) {
    test(`${JSON.stringify(bad)} fails the whole batch`, () => assert.deepEqual(failed(bad), ['1', '2', '3']));
  }
  test('is ignored if the mapping does not request it', () => {
    const silent = { ...mapping, reportsFailures: false };
    assert.equal(failedOf(silent, { batchItemFailures: [{ itemIdentifier: '2' }] }, ['2']).size, 0);
  });
});

describe('delivery of stream records', () => {
  const records = (count: number, atMs = Date.now()): readonly StreamRecord[] =>
    Array.from({ length: count }, (_, n) => ({
      eventID: String(n),
      eventName: 'INSERT',
      dynamodb: { SequenceNumber: String(n), ApproximateCreationDateTime: atMs / 1_000 },
    }));
  const deliver = async (
    given: readonly StreamRecord[],
    properties: Record<string, unknown>,
    take: (ids: readonly string[]) => unknown,
  ) => {
    const batches: string[][] = [];
    const passed: string[] = [];
    const warnings: string[] = [];
    const invoke: Invoke = async (_name, event) => {
      const ids = (event as { Records: StreamRecord[] }).Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
      batches.push(ids);
      return take(ids);
    };
    const outside = outsideOf(invoke, (line) => void warnings.push(line));
    const delivery = makeStreamDelivery(mappingOf('arn:stream', properties), outside, new AbortController().signal);
    const outcome = await delivery('shard', given, ({ dynamodb }) => void passed.push(dynamodb.SequenceNumber));
    return { outcome, batches, passed, warnings };
  };
  const failsOn = (bad: string) => (ids: readonly string[]) => {
    if (ids.includes(bad)) throw new Error('poison');
  };

  test('takes one run if all succeed', async () => {
    const { batches, passed } = await deliver(records(3), {}, () => undefined);
    assert.deepEqual(batches, [['0', '1', '2']]);
    assert.deepEqual(passed, ['2']);
  });
  test('continues at the failed record', async () => {
    let first = true;
    const { batches, passed } = await deliver(records(4), {}, () => {
      const answer = first ? { batchItemFailures: [{ itemIdentifier: '2' }] } : undefined;
      first = false;
      return answer;
    });
    assert.deepEqual(batches, [
      ['0', '1', '2', '3'],
      ['2', '3'],
    ]);
    assert.deepEqual(passed, ['1', '3']);
  });
  test('isolates a bad record by bisecting, retries it alone, gives it up and delivers all others in order', async () => {
    const properties = { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 2 };
    const { outcome, batches, warnings } = await deliver(records(5), properties, failsOn('3'));
    assert.equal(outcome, 'done');
    assert.equal(batches.filter((ids) => ids.join() === '3').length, 3, 'the first attempt and two retries');
    assert.deepEqual(batches.filter((ids) => !ids.includes('3')).flat(), ['0', '1', '2', '4']);
    assert.match(warnings.join(), /RetryAttemptsExhausted/);
  });
  test('gives up records beyond the maximum age without a run', async () => {
    const { batches, warnings } = await deliver(
      records(2, Date.now() - 60_000),
      { MaximumRecordAgeInSeconds: 30 },
      () => undefined,
    );
    assert.deepEqual(batches, []);
    assert.match(warnings.join(), /RecordAgeExceeded/);
  });
  test('that Lambda throttles is repeated whole, however few retries it has', async () => {
    let tries = 0;
    const properties = { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1 };
    const { outcome, batches, passed } = await deliver(records(2), properties, () => {
      if (++tries < 5) throw throttled();
    });
    assert.equal(outcome, 'done');
    assert.deepEqual(batches, Array(5).fill(['0', '1']));
    assert.deepEqual(passed, ['1']);
  });
  test('without a limit retries until it succeeds', async () => {
    let tries = 0;
    const { outcome } = await deliver(records(1), {}, () => {
      if (++tries < 8) throw new Error('not yet');
    });
    assert.equal(outcome, 'done');
    assert.equal(tries, 8);
  });
});

// The stage creates only the queues of its template, so these tests have their own engine.
const engine = await startFauxqs({ port: 0, logger: false, defaultRegion: stageVariable('STAGE_REGION') });
afterAll(() => engine.stop());
const endpoint = `http://127.0.0.1:${engine.port}`;
const sqs = new SQSClient({
  endpoint,
  region: stageVariable('STAGE_REGION'),
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});
const startPoller = (arn: string, url: string, invoke: Invoke) =>
  startQueuePoller(mappingOf(arn), { url: url, visibilityTimeoutSeconds: 1 }, { ...outsideOf(invoke), endpoint });

const newQueue = async (attributes: Record<string, string> = {}): Promise<{ url: string; arn: string }> => {
  const { QueueUrl: url = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `q-${randomUUID()}`, Attributes: attributes }),
  );
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }));
  return { url, arn: Attributes?.QueueArn ?? '' };
};
const sendTo = (QueueUrl: string, MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
const waiting = async (QueueUrl: string): Promise<number> => {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }));
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
};

interface SqsEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly body: string;
    readonly eventSource: string;
    readonly eventSourceARN: string;
    readonly attributes: { readonly ApproximateReceiveCount: string };
  }[];
}

describe('a queue', () => {
  test('feeds its function at once, and successful messages are deleted', async (t) => {
    const { url, arn } = await newQueue();
    const seen: SqsEvent['Records'][number][] = [];
    const poller = startPoller(arn, url, async (_name, event) => void seen.push(...(event as SqsEvent).Records));
    t.onTestFinished(poller.stop);
    await pause(100);
    await sendTo(url, 'one');
    await until('the message arrives', () => seen.length === 1);
    assert.equal(seen[0]?.body, 'one');
    assert.equal(seen[0]?.eventSource, 'aws:sqs');
    assert.equal(seen[0]?.eventSourceARN, arn);
    assert.equal(seen[0]?.attributes.ApproximateReceiveCount, '1');
    await until('the queue is empty', async () => (await waiting(url)) === 0);
  });

  test('gets back only the failed messages, and dead-letters them after the last attempt', async (t) => {
    const dead = await newQueue();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 });
    const { url, arn } = await newQueue({ VisibilityTimeout: '1', RedrivePolicy });
    const seen: string[] = [];
    const poller = startPoller(arn, url, async (_name, event) => {
      const { Records } = event as SqsEvent;
      seen.push(...Records.map(({ body }) => body));
      const failed = Records.filter(({ body }) => body === 'bad');
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    t.onTestFinished(poller.stop);
    await sendTo(url, 'good');
    await sendTo(url, 'bad');
    await until('the bad message is dead-lettered', async () => (await waiting(dead.url)) === 1);
    assert.deepEqual(seen.sort(), ['bad', 'bad', 'good']);
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: dead.url }));
    assert.equal(Messages?.[0]?.Body, 'bad');
  });

  test('keeps a batch that Lambda throttles, and counts no further receive', async (t) => {
    const { url, arn } = await newQueue();
    const counts: string[] = [];
    const mapping = mappingOf(arn);
    const invoke: Invoke = async (_name, event) => {
      counts.push(...(event as SqsEvent).Records.map(({ attributes }) => attributes.ApproximateReceiveCount));
      if (counts.length < 4) throw throttled();
    };
    const poller = startQueuePoller(mapping, { url, visibilityTimeoutSeconds: 30 }, { ...outsideOf(invoke), endpoint });
    t.onTestFinished(poller.stop);
    await sendTo(url, 'one');
    await until('the queue is empty', async () => counts.length === 4 && (await waiting(url)) === 0);
    assert.deepEqual(counts, ['1', '1', '1', '1']);
  });

  test('with hanging work takes as many concurrent batches as the template and the stage allow', async (t) => {
    for (const [allowed, most] of [
      [2, 2],
      [50, fedInstancesMax],
    ] as const) {
      const { url, arn } = await newQueue();
      let [underWay, atOnceMost] = [0, 0];
      let release = (): void => {};
      const released = new Promise<void>((done) => {
        release = done;
      });
      const invoke: Invoke = async () => {
        atOnceMost = Math.max(atOnceMost, ++underWay);
        await released;
        underWay--;
      };
      const mapping = { ...mappingOf(arn, {}, 1), concurrencyMax: allowed };
      const poller = startQueuePoller(mapping, { url, visibilityTimeoutSeconds: 30 }, { ...outsideOf(invoke), endpoint });
      t.onTestFinished(poller.stop);
      for (let n = 0; n < fedInstancesMax + 2; n++) await sendTo(url, String(n));
      await until('all instances are busy', () => underWay === most);
      await pause(100);
      release();
      await until('the queue is empty', async () => (await waiting(url)) === 0);
      assert.equal(atOnceMost, most);
    }
  });

  test('gets back the whole batch from a function that throws', async (t) => {
    const { url, arn } = await newQueue({ VisibilityTimeout: '1' });
    let tries = 0;
    const poller = startPoller(arn, url, async () => {
      if (++tries === 1) throw new Error('not yet');
    });
    t.onTestFinished(poller.stop);
    await sendTo(url, 'one');
    await until('the batch was retried', () => tries === 2);
    await until('the queue is empty', async () => (await waiting(url)) === 0);
  });
});

describe('a stream', () => {
  const newTable = async (): Promise<{ name: string; streamArn: string }> => {
    const name = `t-${randomUUID()}`;
    const { TableDescription } = await documentClient().send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    return { name, streamArn: TableDescription?.LatestStreamArn ?? '' };
  };
  const put = (TableName: string, pk: string, more = {}) =>
    documentClient().send(new PutCommand({ TableName, Item: { pk, ...more } }));
  const feed = (
    streamArn: string,
    {
      dir,
      batchSize = 10,
      take = () => {},
    }: { readonly dir: string; readonly batchSize?: number | undefined; readonly take?: ((key: string) => void) | undefined },
  ) => {
    const seen: (StreamRecord & { dynamodb: { NewImage: Record<string, Record<string, unknown>> } })[] = [];
    const state = openState(dir);
    const invoke: Invoke = async (_name, event) => {
      for (const record of (event as { Records: typeof seen }).Records) {
        take(String(record.dynamodb.NewImage.pk?.S));
        seen.push(record);
      }
    };
    const poller = startStreamPoller(
      mappingOf(streamArn, { StartingPosition: 'TRIM_HORIZON' }, batchSize),
      state,
      outsideOf(invoke),
    );
    const stop = async () => {
      await poller.stop();
      state.close();
    };
    return { seen, stop, keys: () => seen.map(({ dynamodb }) => String(dynamodb.NewImage.pk?.S)) };
  };
  const newDir = () => mkdtempSync(join(tmpdir(), 'poller-'));

  test('feeds its function in order, with records like Lambda’s', async () => {
    const { name, streamArn } = await newTable();
    const { seen, keys, stop } = feed(streamArn, { dir: newDir(), batchSize: 3 });
    await pause(500);
    await put(name, 'k0', { bytes: Buffer.from('hi'), n: 7 });
    await until('the record arrives', () => seen.length === 1);
    for (let n = 1; n < 8; n++) await put(name, `k${n}`);
    await until('all records arrive', () => seen.length === 8);
    await stop();
    assert.deepEqual(keys(), ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']);
    const record = seen[0]!;
    assert.equal(record.eventName, 'INSERT');
    assert.equal(record.eventSource, 'aws:dynamodb');
    assert.equal(record.eventSourceARN, streamArn);
    assert.deepEqual(record.dynamodb.NewImage, { pk: { S: 'k0' }, bytes: { B: 'aGk=' }, n: { N: '7' } });
    assert.ok(Math.abs(record.dynamodb.ApproximateCreationDateTime - Date.now() / 1_000) < 120);
  });

  test('continues after a restart from its checkpoint, without duplicates or losses', async () => {
    const { name, streamArn } = await newTable();
    const dir = newDir();
    const first = feed(streamArn, { dir });
    await put(name, 'before');
    await until('the record arrives', () => first.seen.length === 1);
    await first.stop();
    await put(name, 'between');
    const second = feed(streamArn, { dir });
    await put(name, 'after');
    await until('both arrive', () => second.seen.length === 2);
    await second.stop();
    assert.deepEqual(second.keys(), ['between', 'after']);
  });

  test('redelivers a record that was in flight when the stage stopped', async () => {
    const { name, streamArn } = await newTable();
    const dir = newDir();
    let tries = 0;
    const first = feed(streamArn, {
      dir,
      batchSize: 10,
      take: () => {
        tries++;
        throw new Error('never');
      },
    });
    await put(name, 'stubborn');
    await until('the first attempt', () => tries > 0);
    await first.stop();
    const second = feed(streamArn, { dir });
    await until('the record arrives again', () => second.seen.length === 1);
    await second.stop();
  });
});

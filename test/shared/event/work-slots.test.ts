/** Queue workers of a small account share slots: a batch without one returns to its queue. */
import { deepEqual, equal } from 'node:assert/strict';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeEach, test, vi } from 'vitest';
import { logLines } from '../../../shared/contract/runtime/alarm-log-lines.ts';
import { inWorkSlot } from '../../../shared/event/work-slots.ts';
import { log } from '../../../shared/platform/index.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
let sent: {
  MessageBody: string;
  MessageGroupId: string;
  DelaySeconds: number;
  MessageAttributes: Record<string, { StringValue: string }>;
}[] = [];
let lines: { message: string; queue: string; waitedSeconds: number }[] = [];
const aws = await scriptAws({
  ...table.script,
  SendMessageBatch: (input) => {
    const entries = (input as unknown as { Entries: typeof sent }).Entries;
    sent.push(...entries);
    return { Successful: [], Failed: [] };
  },
});
Object.assign(process.env, {
  WORK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/deliveries',
});
const settings = { queue: 'delivery', slots: 2, ownMax: 2, seconds: 60, delaySeconds: 5, waitMaxSeconds: 900, receivesMax: 5 };
beforeEach(() => {
  process.env.WORK_SLOTS = JSON.stringify(settings);
  table.items.clear();
  sent = [];
  lines = [];
  vi.spyOn(log, 'warn').mockImplementation((...[message, fields]) => {
    lines.push(Object.assign({ message }, fields) as (typeof lines)[number]);
  });
});
afterAll(async () => {
  delete process.env.WORK_SLOTS;
  await aws.stop();
});

interface Received {
  readonly receives?: number;
  readonly waitedSeconds?: number;
  readonly returned?: Readonly<Record<string, { StringValue: string }>>;
}
const record = (messageId: string, { receives = 1, waitedSeconds = 0, returned = {} }: Received = {}): SQSRecord =>
  ({
    messageId,
    body: `{"id":"${messageId}"}`,
    attributes: {
      MessageGroupId: 'ORG#a',
      ApproximateReceiveCount: String(receives),
      ApproximateFirstReceiveTimestamp: String(Date.now() - waitedSeconds * 1_000),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(returned).map(([name, { StringValue }]) => [name, { stringValue: StringValue }]),
    ),
  }) as unknown as SQSRecord;

/** Runs of the queues named hold a slot each. */
const hold = (...queues: readonly string[]): void => {
  const until = new Date(Date.now() + 60_000).toISOString();
  const leases = Object.fromEntries(queues.map((queue, n) => [`${queue}#${n}`, until]));
  table.put({ pk: 'SLOTS', sk: 'QUEUES', revision: 7, leases });
};

/** Whether a batch of the message gets a slot. */
const begins = async (message: SQSRecord, priority?: 'urgent' | 'drop'): Promise<boolean> => {
  let hasBegun = false;
  const work = async (): Promise<void> => {
    hasBegun = true;
  };
  await inWorkSlot([message], { finished: new Set(), work, priorityOf: priority && (async () => priority) });
  return hasBegun;
};

test('slots: the third batch returns its messages, and a slot is free again when a batch has ended or failed', async () => {
  const { promise: held, resolve: free } = Promise.withResolvers<void>();
  const finished = new Set<string>();
  const busy = [
    inWorkSlot([record('a')], { finished, work: () => held }),
    inWorkSlot([record('b')], { finished, work: () => held }),
  ];
  while (Object.keys((table.find('SLOTS')[0]?.leases as object) ?? {}).length < 2) await new Promise(setImmediate);
  let ran = 0;
  const run = async (): Promise<void> => {
    ran += 1;
  };
  await inWorkSlot([record('c'), record('d')], { finished, work: run });
  equal(ran, 0);
  deepEqual([...finished], ['c', 'd'], 'they are acknowledged, because they are in the queue again');
  deepEqual(
    sent.map(({ MessageBody, MessageGroupId, DelaySeconds }) => [
      MessageBody,
      MessageGroupId,
      DelaySeconds >= 5 && DelaySeconds <= 15,
    ]),
    [
      ['{"id":"c"}', 'ORG#a', true],
      ['{"id":"d"}', 'ORG#a', true],
    ],
  );
  free();
  await Promise.all(busy);
  await inWorkSlot([record('e')], { finished, work: () => Promise.reject(new Error('failed')) }).catch(() => {});
  await inWorkSlot([record('f')], { finished, work: run });
  equal(ran, 1);
  deepEqual(table.find('SLOTS')[0]?.leases, {});
});

test('slots: one that a dead run held is free after its timeout', async () => {
  const past = new Date(Date.now() - 1_000).toISOString();
  table.put({ pk: 'SLOTS', sk: 'QUEUES', revision: 7, leases: { one: past, two: past } });
  let ran = 0;
  const run = async (): Promise<void> => {
    ran += 1;
  };
  await inWorkSlot([record('a')], { finished: new Set(), work: run });
  equal(ran, 1);
});

test('slots: a queue with a limit of its own leaves the others to other queues', async () => {
  process.env.WORK_SLOTS = JSON.stringify({ ...settings, queue: 'deliveryRetry', ownMax: 1 });
  hold('deliveryRetry');
  equal(await begins(record('a')), false);
  hold('delivery');
  equal(await begins(record('b')), true);
});

test('slots: an urgent message, or one that was returned for long, may take one more', async () => {
  process.env.WORK_SLOTS = JSON.stringify({ ...settings, queue: 'capture', slots: 1, urgent: { slots: 2, afterSeconds: 330 } });
  hold('capture');
  equal(await begins(record('a', { waitedSeconds: 329 })), false);
  equal(await begins(record('b'), 'urgent'), true);
  equal(await begins(record('c', { waitedSeconds: 331 })), true);
  hold('capture', 'delivery');
  equal(await begins(record('d'), 'urgent'), false);
});

test('slots: a message that has nothing to do is acknowledged, although all slots are taken', async () => {
  hold('delivery', 'delivery');
  const finished = new Set<string>();
  const priorityOf = async ({ messageId }: SQSRecord) => (messageId === 'a' ? 'drop' : 'usual');
  await inWorkSlot([record('a'), record('b')], { finished, work: async () => {}, priorityOf });
  deepEqual([...finished], ['a', 'b']);
  deepEqual(
    sent.map(({ MessageBody }) => MessageBody),
    ['{"id":"b"}'],
  );
});

test('slots: a message keeps the start of its waiting over returns, and raises an alarm when that is too long', async () => {
  hold('delivery', 'delivery');
  await begins(record('a', { waitedSeconds: 800 }));
  deepEqual(lines, []);
  const returned = sent[0]?.MessageAttributes ?? {};
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 101_000 });
  try {
    hold('delivery', 'delivery');
    await begins(record('b', { returned }));
  } finally {
    vi.useRealTimers();
  }
  deepEqual(lines, [{ message: logLines.slotAwaited, queue: 'delivery', waitedSeconds: 901 }]);
});

// SQS counts the receives of a message from zero when it is sent as a new one.
test('slots: a message that always fails is left to SQS after four failures, so that it becomes a dead letter', async () => {
  hold('delivery', 'delivery');
  const finished = new Set<string>();
  await inWorkSlot([record('a', { receives: 3 })], { finished, work: async () => {} });
  equal(sent.length, 1);
  const returned = sent[0]?.MessageAttributes ?? {};
  await inWorkSlot([record('b', { returned })], { finished, work: async () => {} });
  equal(sent.length, 2, 'a receive without a slot is no failure');
  await inWorkSlot([record('c', { returned, receives: 3 })], { finished, work: async () => {} });
  equal(sent.length, 2);
  deepEqual([...finished], ['a', 'b']);
});

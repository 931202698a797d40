/** Queue workers of a small account share slots: a batch without one returns to its queue. */
import { deepEqual, equal } from 'node:assert/strict';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeEach, test } from 'vitest';
import { inWorkSlot } from '../../../shared/event/work-slots.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
let sent: { MessageBody: string; MessageGroupId: string; DelaySeconds: number }[] = [];
const aws = await scriptAws({
  ...table.script,
  SendMessageBatch: (input) => {
    const entries = (input as unknown as { Entries: typeof sent }).Entries;
    sent.push(...entries);
    return { Successful: [], Failed: [] };
  },
});
Object.assign(process.env, {
  WORK_SLOTS: JSON.stringify({ slots: 2, seconds: 60, delaySeconds: 5 }),
  WORK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/deliveries',
});
beforeEach(() => {
  table.items.clear();
  sent = [];
});
afterAll(async () => {
  delete process.env.WORK_SLOTS;
  await aws.stop();
});

const record = (messageId: string): SQSRecord =>
  ({ messageId, body: `{"id":"${messageId}"}`, attributes: { MessageGroupId: 'ORG#a' } }) as unknown as SQSRecord;

test('slots: the third batch returns its messages, and a slot is free again when a batch has ended or failed', async () => {
  const { promise: held, resolve: free } = Promise.withResolvers<void>();
  const finished = new Set<string>();
  const busy = [inWorkSlot([record('a')], finished, () => held), inWorkSlot([record('b')], finished, () => held)];
  while (Object.keys((table.find('SLOTS')[0]?.leases as object) ?? {}).length < 2) await new Promise(setImmediate);
  let ran = 0;
  const run = async (): Promise<void> => {
    ran += 1;
  };
  await inWorkSlot([record('c'), record('d')], finished, run);
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
  await inWorkSlot([record('e')], finished, () => Promise.reject(new Error('failed'))).catch(() => {});
  await inWorkSlot([record('f')], finished, run);
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
  await inWorkSlot([record('a')], new Set(), run);
  equal(ran, 1);
});

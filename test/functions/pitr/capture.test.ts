import { deepEqual } from 'node:assert/strict';
import { afterAll, afterEach, beforeEach, describe, test } from 'vitest';
import { organizationKey } from '../../../shared/organization/index.ts';
import { pitrKey } from '../../../shared/pitr/index.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { type Input, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

interface Entry {
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly MessageAttributes?: object;
}

const table = new InMemoryTable();
const sent: { sender: string; task: object }[] = [];
/** Whether the last message was returned for want of a slot. */
let isReturned = false;
const aws = await scriptAws({
  ...table.script,
  SendMessageBatch: ({ Entries }: Input) => {
    for (const { MessageBody, MessageGroupId, MessageAttributes } of Entries as Entry[]) {
      sent.push({ sender: MessageGroupId, task: JSON.parse(MessageBody).task });
      isReturned = MessageAttributes !== undefined;
    }
    return { Successful: [], Failed: [] };
  },
});
process.env.CAPTURE_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/captures`;
afterAll(() => aws.stop());
const { handler } = await import('../../../functions/pitr/capture.ts');

const tenant = unsafeTenant(newId('organization'), 'record');
const projectId = newId('project');

test('capture worker: enqueues the next cycle under the sender of the tenant', async () => {
  const nextTurnAt = new Date(Date.now() + 60_000).toISOString();
  table.put({ ...organizationKey.organization(tenant), id: tenant.organizationId });
  table.put({ ...projectKey.project(tenant, projectId), id: projectId });
  table.put({ ...pitrKey.pitr(tenant, projectId), projectId, status: 'active', precision: 'interval', turn: 7, nextTurnAt });
  const task = { kind: 'capture', projectId, turn: 7 };
  const body = JSON.stringify({ id: newId('task'), organizationId: tenant.organizationId, task });
  await handler({ Records: [{ messageId: 'one', body }] } as never, {} as never);
  deepEqual(sent, [{ sender: `ORG#${tenant.organizationId}`, task }]);
});

describe('capture worker: in a small account whose slot for captures is taken', () => {
  const cycle = { kind: 'capture', projectId, turn: 7 };
  beforeEach(() => {
    process.env.WORK_SLOTS = JSON.stringify({
      queue: 'capture',
      slots: 1,
      ownMax: 2,
      urgent: { slots: 2, afterSeconds: 330 },
      delaySeconds: 5,
      seconds: 900,
      waitMaxSeconds: 660,
      receivesMax: 5,
    });
    process.env.WORK_QUEUE_URL = process.env.CAPTURE_QUEUE_URL;
    const until = new Date(Date.now() + 60_000).toISOString();
    table.put({ pk: 'SLOTS', sk: 'QUEUES', revision: 1, leases: { 'capture#other': until } });
    sent.length = 0;
  });
  afterEach(() => {
    delete process.env.WORK_SLOTS;
  });

  const capturedWith = (precision: 'second' | 'interval'): void => {
    const nextTurnAt = new Date(Date.now() + 60_000).toISOString();
    table.put({ ...pitrKey.pitr(tenant, projectId), projectId, status: 'active', precision, turn: 7, nextTurnAt });
  };
  const receive = async (task: object): Promise<void> => {
    const body = JSON.stringify({ id: newId('task'), organizationId: tenant.organizationId, task });
    const attributes = { ApproximateReceiveCount: '1', ApproximateFirstReceiveTimestamp: String(Date.now()) };
    const record = { messageId: 'one', body, attributes, messageAttributes: {} };
    deepEqual(await handler({ Records: [record] } as never, {} as never), { batchItemFailures: [] });
  };

  test('a cycle that has ended is dropped', async () => {
    capturedWith('second');
    await receive({ ...cycle, turn: 6 });
    deepEqual(sent, []);
  });

  test('a project that would be listened to returns', async () => {
    capturedWith('second');
    await receive(cycle);
    deepEqual([sent.length, isReturned], [1, true]);
  });

  test('a cycle without listening runs, because it takes seconds', async () => {
    capturedWith('interval');
    await receive(cycle);
    // It is early, so it is enqueued again.
    deepEqual([sent.length, isReturned], [1, false]);
  });
});

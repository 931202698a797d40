import { deepEqual } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { organizationKey } from '../../../shared/organization/index.ts';
import { pitrKey } from '../../../shared/pitr/index.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { type Input, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const sent: { sender: string; task: object }[] = [];
const aws = await scriptAws({
  ...table.script,
  SendMessageBatch: ({ Entries }: Input) => {
    for (const { MessageBody, MessageGroupId } of Entries as { MessageBody: string; MessageGroupId: string }[])
      sent.push({ sender: MessageGroupId, task: JSON.parse(MessageBody).task });
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

test('capture worker: in a small account a stale cycle needs no slot, and a handover takes one beside its predecessor', async () => {
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
  table.put({ pk: 'SLOTS', sk: 'QUEUES', revision: 1, leases: { 'capture#predecessor': until } });
  const attributes = { ApproximateReceiveCount: '1', ApproximateFirstReceiveTimestamp: String(Date.now()) };
  const receive = async (task: object): Promise<readonly object[]> => {
    sent.length = 0;
    const body = JSON.stringify({ id: newId('task'), organizationId: tenant.organizationId, task });
    const record = { messageId: 'one', body, attributes, messageAttributes: {} };
    deepEqual(await handler({ Records: [record] } as never, {} as never), { batchItemFailures: [] });
    return sent.map(({ task: next }) => next);
  };
  const cycle = { kind: 'capture', projectId, turn: 7 };
  try {
    deepEqual(await receive({ ...cycle, turn: 6 }), [], 'the cycle has ended');
    deepEqual(await receive(cycle), [cycle], 'it returns');
    // This project is captured cycle by cycle: the run ends with the next message.
    deepEqual(await receive({ ...cycle, isRelief: true }), [cycle]);
  } finally {
    delete process.env.WORK_SLOTS;
  }
});

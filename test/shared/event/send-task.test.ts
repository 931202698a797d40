import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { enqueue, sendTask, taskMessage } from '../../../shared/event/index.ts';
import { senderOf } from '../../../shared/event/send-task.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { type Input, scriptAws } from '../../harness/aws/scripted-aws.ts';

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly DelaySeconds?: number;
}
let isRefused = false;
const aws = await scriptAws({
  SendMessageBatch: ({ Entries }: Input) => ({
    Successful: [],
    Failed: (Entries as Entry[]).flatMap(({ Id }) => (isRefused ? [{ Id, Code: 'Busy', SenderFault: false }] : [])),
  }),
});
afterAll(() => aws.stop());
process.env.TASK_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/tasks`;
process.env.BUCKET_WORK_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/bucket-work`;
beforeEach(() => {
  isRefused = false;
  aws.calls.length = 0;
});

const tenant = unsafeTenant(newId('organization'), 'record');
const task = { kind: 'apply-retention' } as const;

/** SQS fair queues share a queue among message groups, so a tenant under two names would get two shares. */
test('sendTask: a tenant has one message group, whether its task is sent by the outbox or directly', async () => {
  const write = enqueue(tenant, task, new Date());
  const outboxSender = 'put' in write ? write.put.pk : undefined;
  deepEqual([senderOf(tenant), taskMessage(tenant, task).sender], [outboxSender, outboxSender]);
  await sendTask(tenant, task, { delaySeconds: 7 });
  const [{ QueueUrl, Entries } = {}] = aws.sent('SendMessageBatch');
  const [entry] = Entries as Entry[];
  deepEqual([entry?.MessageGroupId, entry?.DelaySeconds], [outboxSender, 7]);
  equal(String(QueueUrl).endsWith('/bucket-work'), true);
});

test('sendTask: a message that the queue does not accept throws', async () => {
  isRefused = true;
  await rejects(sendTask(tenant, task), /did not accept the task "apply-retention"/);
  await rejects(sendTask(tenant, task, { queue: 'task' }));
  equal(String(aws.sent('SendMessageBatch').at(-1)?.QueueUrl).endsWith('/tasks'), true);
});

import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { queueVariables, senderOf, sendTask, taskMessage } from '../../../shared/event/index.ts';
import { type Input, scriptAws } from '../../harness/aws/scripted-aws.ts';

const tenant = { organizationId: 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD' };
const task = { kind: 'start-backup', backupId: 'backup_01JZ8Q4V0M6T3X9C2B7N5K1HRD' } as const;
const sent: Input[] = [];
let isAccepting = true;
const aws = await scriptAws({
  SendMessageBatch: (input) => {
    sent.push(input);
    return isAccepting ? { Successful: [] } : { Successful: [], Failed: [{ Id: '0', Code: 'Busy', SenderFault: false }] };
  },
});
afterAll(() => aws.stop());
for (const variable of Object.values(queueVariables)) process.env[variable] = `${process.env.AWS_ENDPOINT_URL}/1/${variable}`;

beforeEach(() => {
  sent.length = 0;
  isAccepting = true;
});

const entryOf = (input: Input | undefined) => {
  const [{ MessageBody, MessageGroupId, DelaySeconds }] = (input?.Entries ?? [{}]) as [Record<string, string>];
  return { body: JSON.parse(String(MessageBody)) as Record<string, unknown>, MessageGroupId, DelaySeconds };
};

test('sendTask: a task goes to the queue of its kind, in the fairness group of its organization', async () => {
  await sendTask(tenant, task);
  const { body, ...rest } = entryOf(sent[0]);
  match(String(sent[0]?.QueueUrl), /TASK_QUEUE_URL$/);
  match(String(body.id), /^tsk_/);
  deepEqual([body.organizationId, body.task], [tenant.organizationId, task]);
  deepEqual(rest, { MessageGroupId: `ORG#${tenant.organizationId}`, DelaySeconds: undefined });
});

test('sendTask: options replace the queue and delay the message', async () => {
  await sendTask(tenant, task, { queue: 'capture', delaySeconds: 30 });
  match(String(sent[0]?.QueueUrl), /CAPTURE_QUEUE_URL$/);
  equal(entryOf(sent[0]).DelaySeconds, 30);
});

test('sendTask: it throws unless the queue accepted the task', async () => {
  isAccepting = false;
  await rejects(sendTask(tenant, task), /did not accept the task "start-backup"/);
});

test('taskMessage: the id carries the given time, and two messages have different ids', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const ids = [1, 2].map(() => (JSON.parse(taskMessage(tenant, task, { now }).body) as { id: string }).id);
  equal(new Set(ids).size, 2);
  equal(new Set(ids.map((id) => id.slice(0, 'tsk_'.length + 10))).size, 1);
});

test('senderOf: the sender is the partition key of the organization', () =>
  equal(senderOf(tenant), `ORG#${tenant.organizationId}`));

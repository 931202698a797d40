import { deepEqual, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { retentionPartition } from '../../../shared/stored-backup/index.ts';
import { type Input, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
let refused: readonly string[] = [];
const sent: { organizationId: string; task: object; sender: string }[] = [];
const aws = await scriptAws({
  ...table.script,
  SendMessageBatch: ({ Entries }: Input) => {
    for (const { MessageBody, MessageGroupId } of Entries as { MessageBody: string; MessageGroupId: string }[])
      sent.push({ ...JSON.parse(MessageBody), sender: MessageGroupId });
    return { Successful: [], Failed: refused.map((Id) => ({ Id, Code: 'Busy', SenderFault: false })) };
  },
});
process.env.BUCKET_WORK_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/bucket-work`;
afterAll(() => aws.stop());
const { handler } = await import('../../../functions/retention/sweep.ts');

beforeEach(() => {
  table.items.clear();
  sent.length = 0;
  refused = [];
});
const note = (organizationId: string, inSeconds: number): void =>
  table.put({
    pk: retentionPartition,
    sk: organizationId,
    organizationId,
    dueAt: new Date(Date.now() + inSeconds * 1_000).toISOString(),
  });

test('retention sweep: enqueues a task for each due organization over many pages, under one sender per tenant', async () => {
  table.pageMax = 7;
  for (let n = 10; n < 45; n++) note(`org_${n}`, n < 40 ? -n : 3_600);
  await handler();
  deepEqual(
    sent.map(({ organizationId }) => organizationId).sort(),
    Array.from({ length: 30 }, (_, n) => `org_${n + 10}`),
  );
  for (const { organizationId, task, sender } of sent)
    deepEqual({ task, sender }, { task: { kind: 'apply-retention' }, sender: `ORG#${organizationId}` });
});

test('retention sweep: sends nothing if nothing is due, and fails if the queue refuses a task', async () => {
  await handler();
  deepEqual(sent, []);
  note('org_a', -1);
  refused = ['0'];
  await rejects(handler(), /did not accept 1 of 1/);
});

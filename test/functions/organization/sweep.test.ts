import { deepEqual, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { lookup } from '../../../shared/organization/index.ts';
import { iso, newId } from '../../../shared/platform/index.ts';
import { type Input, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

interface Entry {
  readonly MessageBody: string;
  readonly MessageGroupId: string;
}
const table = new InMemoryTable();
let refused: readonly string[] = [];
const sent: Entry[] = [];
const aws = await scriptAws({
  ...table.script,
  SendMessageBatch: ({ Entries }: Input) => {
    sent.push(...(Entries as Entry[]));
    return { Successful: [], Failed: refused.map((Id) => ({ Id, Code: 'Busy', SenderFault: false })) };
  },
});
process.env.TASK_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/tasks`;
afterAll(() => aws.stop());
const { handler } = await import('../../../functions/organization/sweep.ts');

beforeEach(() => {
  table.items.clear();
  sent.length = 0;
  refused = [];
});
const putDue = (inSeconds: number): string => {
  const organizationId = newId('organization');
  const deadline = iso(new Date(Date.now() + inSeconds * 1_000));
  table.put({ ...lookup.due(deadline, organizationId), organizationId, deleteBackupData: true });
  return organizationId;
};

test('organization sweep: sends the purge of each organization that is due, under the name that the outbox uses', async () => {
  const due = putDue(-3_600);
  putDue(3_600);
  await handler();
  deepEqual(
    sent.map(({ MessageBody, MessageGroupId }) => {
      const { organizationId, task } = JSON.parse(MessageBody) as { organizationId: string; task: object };
      return { organizationId, task, MessageGroupId };
    }),
    [
      {
        organizationId: due,
        task: { kind: 'purge-organization', deleteBackupData: true },
        MessageGroupId: `ORG#${due}`,
      },
    ],
  );
});

test('organization sweep: fails if the queue does not accept every task', async () => {
  putDue(-3_600);
  refused = ['0'];
  await rejects(handler(), /did not accept 1 of 1/);
});

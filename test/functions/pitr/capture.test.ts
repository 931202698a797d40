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

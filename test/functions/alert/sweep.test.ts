/** The sweep finds every organization once, also those from before alerts existed, and spreads its tasks. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { type Input, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

interface Entry {
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly DelaySeconds?: number;
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
process.env.INCIDENT_QUEUE_URL = `${process.env.AWS_ENDPOINT_URL}/incident`;
process.env.SERVICE_VERSION = '2.0.0';
afterAll(() => aws.stop());
const { handler } = await import('../../../functions/alert/sweep.ts');

beforeEach(() => {
  table.items.clear();
  sent.length = 0;
  refused = [];
});
const organizations = () => sent.map(({ MessageBody }) => JSON.parse(MessageBody).organizationId).sort();

test('alert sweep: enqueues one task for each organization with alerts, schedules, captures or backups that expire', async () => {
  table.pageMax = 3;
  for (const organizationId of ['org_a', 'org_b', 'org_c', 'org_d'])
    table.put({ pk: 'DUE#ALERT', sk: organizationId, organizationId });
  table.put({ pk: 'DUE#SCHEDULE', sk: '2026-03-01T02:00:00.000Z#org_a#sch_1', organizationId: 'org_a' });
  table.put({ pk: 'DUE#SCHEDULE', sk: '2026-03-01T02:00:00.000Z#org_e#sch_2', organizationId: 'org_e' });
  table.put({ pk: 'DUE#CAPTURE', sk: 'org_f#prj_1', organizationId: 'org_f' });
  table.put({ pk: 'RETENTION', sk: 'org_g', organizationId: 'org_g', dueAt: '2026-03-01T02:00:00.000Z' });
  await handler();
  equal(table.get<{ release: string }>({ pk: 'SCHEMA', sk: 'SCHEMA' })?.release, '2.0.0');
  deepEqual(organizations(), ['org_a', 'org_b', 'org_c', 'org_d', 'org_e', 'org_f', 'org_g']);
  for (const { MessageBody, MessageGroupId } of sent) {
    const { organizationId, task } = JSON.parse(MessageBody);
    deepEqual([task, MessageGroupId], [{ kind: 'assess-incidents' }, `ORG#${organizationId}`]);
  }
});

test('alert sweep: tasks of many organizations begin over time, so that failures do not wait behind them', async () => {
  for (let n = 0; n < 1_200; n++) {
    const organizationId = `org_${String(n).padStart(4, '0')}`;
    table.put({ pk: 'DUE#ALERT', sk: organizationId, organizationId });
  }
  await handler();
  equal(sent.length, 1_200);
  const inSecond = Object.values(Object.groupBy(sent, ({ DelaySeconds = 0 }) => DelaySeconds)).map((all) => all?.length);
  deepEqual(inSecond, Array(24).fill(50));
});

test('alert sweep: fails if the queue refuses a task', async () => {
  table.put({ pk: 'DUE#ALERT', sk: 'org_a', organizationId: 'org_a' });
  refused = ['0'];
  await rejects(handler(), /did not accept 1 of 1/);
});

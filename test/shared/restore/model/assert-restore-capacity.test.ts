import { rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { assertRestoreCapacity } from '../../../../shared/restore/model/assert-restore-capacity.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const aws = await scriptAws(table.script);
afterAll(() => aws.stop());
beforeEach(() => table.items.clear());

const tenant = unsafeTenant(newId('organization'), 'created');
const putRestores = (count: number, status: string, of = tenant, more: object = {}): readonly string[] =>
  Array.from({ length: count }, () => {
    const id = newId('restore');
    table.put({ ...restoreKey.restore(of, id), id, status });
    table.put({ ...restoreKey.running(of, id), organizationId: of.organizationId, restoreJobId: id, since: 'x', ...more });
    return id;
  });

test('capacity: the twenty-first concurrent restore is refused until another has ended', async () => {
  putRestores(10, 'pending');
  const [first] = putRestores(10, 'running');
  await rejects(assertRestoreCapacity(tenant), {
    code: 'JOB_IN_PROGRESS',
    message: /at most 20 restores at once/,
  });
  table.put({ ...restoreKey.restore(tenant, first!), id: first, status: 'completed' });
  await assertRestoreCapacity(tenant);
});

test('capacity: restores being cleaned up, resumable restores and those of other organizations do not count', async () => {
  putRestores(30, 'failed');
  putRestores(300, 'failed', tenant, { dueAt: '2026-03-01T12:00:00.000Z' });
  putRestores(19, 'running');
  putRestores(40, 'running', unsafeTenant(newId('organization'), 'created'));
  await assertRestoreCapacity(tenant);
});

import { rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { refuseRestoreCrowd } from '../../../../shared/restore/model/concurrency-limit.ts';
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

test('the twenty-first restore at once waits until another has ended; the message says so', async () => {
  putRestores(10, 'pending');
  const [first] = putRestores(10, 'running');
  await rejects(refuseRestoreCrowd(tenant), { code: 'JOB_IN_PROGRESS', message: /20 restores of an organization run at once/ });
  table.put({ ...restoreKey.restore(tenant, first!), id: first, status: 'completed' });
  await refuseRestoreCrowd(tenant);
});

test('what has ended and is being cleaned up after does not count, nor what waits to be resumed, nor what others run', async () => {
  putRestores(30, 'failed');
  putRestores(300, 'failed', tenant, { dueAt: '2026-03-01T12:00:00.000Z' });
  putRestores(19, 'running');
  putRestores(40, 'running', unsafeTenant(newId('organization'), 'created'));
  await refuseRestoreCrowd(tenant);
});

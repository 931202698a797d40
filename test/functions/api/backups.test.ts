import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { restoreTestKey } from '../../../shared/restore-test/model/record.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { startInProcessApi } from '../../harness/aws/in-process-api.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';

const api = await startInProcessApi();
afterAll(() => api.stop());
const organizationId = api.organizationIds[0]!;
const tenant = unsafeTenant(organizationId, 'record');
const at = '2026-03-01T12:00:00.000Z';

const putTested = (more: Partial<BackupRecord> = {}): string => {
  const id = newId('backup');
  api.table.put({ ...backupOf({ id, restoreTestedAt: at, ...more }), ...backupKey.backup(tenant, id) });
  return id;
};
const putRun = (backupId: string, more: object): void => {
  const id = newId('restoreTestRun');
  const run = { id, backupId, status: 'passed', completedAt: at, counts: { documents: 5 } };
  api.table.put({ ...restoreTestKey.run(tenant, id), ...run, ...more });
};
const headers = { authorization: `Bearer ${api.token}`, 'x-organization-id': organizationId };
const testedAt = async (backupId: string): Promise<unknown> => {
  const path = backups.get.path.replace('{backupId}', backupId);
  const { status, body, text } = await api.send(backups.get, { method: 'GET', path, params: { backupId }, headers });
  equal(status, 200, text);
  return (body as { data: { restoreTestedAt: unknown } }).data.restoreTestedAt;
};

test('backups: a restore test of an earlier version that wrote nothing is not shown as one', async () => {
  const target = { projectId: newId('project'), projectName: 'Copy' };
  const unwritten = putTested();
  putRun(unwritten, { target, removal: { status: 'nothing_written', documents: 0 } });
  const written = putTested();
  putRun(written, { target, removal: { status: 'verified', documents: 5 } });
  const named = putTested({ restoreTestedBy: newId('restoreTestRun') });
  const expected = { [unwritten]: null, [written]: at, [named]: at };
  for (const [id, shown] of Object.entries(expected)) equal(await testedAt(id), shown);
  const { body } = await api.send(backups.list, { method: 'GET', path: backups.list.path, headers });
  const listed = (body as { data: { id: string; restoreTestedAt: unknown }[] }).data;
  deepEqual(Object.fromEntries(listed.map(({ id, restoreTestedAt }) => [id, restoreTestedAt])), expected);
});

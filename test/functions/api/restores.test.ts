/** The limit of concurrent restores holds for everything that starts one. */
import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { type RestoreRecord, restoreKey } from '../../../shared/restore/model/record.ts';
import { startRestore } from '../../../shared/restore/start/start-restore.ts';
import { backupKey } from '../../../shared/stored-backup/index.ts';
import { startInProcessApi } from '../../harness/aws/in-process-api.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';
import { destination, source, startOptions, target } from '../../harness/builders/sample-restore.ts';

const concurrent = 2;
process.env.ORGANIZATION_LIMITS = JSON.stringify({ concurrentRestores: concurrent });
const api = await startInProcessApi();
afterAll(() => {
  delete process.env.ORGANIZATION_LIMITS;
  api.stop();
});
const organizationId = api.organizationIds[0]!;
const tenant = unsafeTenant(organizationId, 'record');
const headers = { authorization: `Bearer ${api.token}`, 'x-organization-id': organizationId };
const now = new Date();
const [project, other] = [source, target].map((item) => ({ ...item, ...projectKey.project(tenant, item.id) }));
const backupId = newId('backup', now);
const storageDestination = { id: destination.id, name: 'Bucket', type: 's3' } as const;
const backup = { ...backupOf({ id: backupId, projectId: source.id, storageDestination }), ...backupKey.backup(tenant, backupId) };

const putRestore = (more: Partial<RestoreRecord>): string => {
  const encryption = { mode: 'kms', keyId: 'arn' } as const;
  const { restore } = startRestore(
    { tenant, backup, project: project!, target: other!, destination, encryption },
    startOptions,
    now,
  );
  api.table.put({ ...restore, ...more });
  return restore.id;
};
const putRunning = (): string => {
  const id = putRestore({ status: 'running' });
  const running = { organizationId, restoreJobId: id, attempt: 1, since: now.toISOString() };
  api.table.put({ ...restoreKey.running(tenant, id), ...running });
  return id;
};
const resume = async (restoreJobId: string) => {
  const path = restores.resume.path.replace('{restoreJobId}', restoreJobId);
  return api.send(restores.resume, { method: 'POST', path, params: { restoreJobId }, headers });
};
const stateOf = (id: string): unknown => {
  const { status, attempt } = api.table.get<RestoreRecord>(restoreKey.restore(tenant, id))!;
  return { status, attempt };
};

beforeEach(() => {
  const storage = { ...destination, ...organizationKey.storageDestination(tenant, destination.id) };
  for (const item of [project!, other!, backup, storage]) api.table.put(item);
});

test('restores: at the limit a restore cannot be resumed, and nothing changes; when another has ended it can', async () => {
  const failed = putRestore({ status: 'failed', completedAt: now.toISOString() });
  const running = Array.from({ length: concurrent }, putRunning);
  const { status, body, text } = await resume(failed);
  equal(status, 409, text);
  const { error } = body as unknown as { error: { code: string; details: unknown } };
  deepEqual([error.code, error.details], ['JOB_IN_PROGRESS', { running: concurrent, most: concurrent }]);
  deepEqual(stateOf(failed), { status: 'failed', attempt: 1 });

  api.table.put({ ...api.table.get<RestoreRecord>(restoreKey.restore(tenant, running[0]!))!, status: 'completed' });
  const again = await resume(failed);
  equal(again.status, 202, again.text);
  deepEqual(stateOf(failed), { status: 'pending', attempt: 2 });
});

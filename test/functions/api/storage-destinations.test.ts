import { deepEqual } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { retireWrites } from '../../../shared/stored-backup/removal/retire-backup.ts';
import { startInProcessApi } from '../../harness/aws/in-process-api.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';

const api = await startInProcessApi();
afterAll(() => api.stop());
const organizationId = api.organizationIds[0]!;
const tenant = unsafeTenant(organizationId, 'record');
const headers = { authorization: `Bearer ${api.token}`, 'x-organization-id': organizationId };

const putDestination = (): string => {
  const [id, now] = [newId('storageDestination'), new Date().toISOString()];
  const place = { id, name: 'Bucket', type: 's3', bucket: 'b', prefix: '', region: null, endpoint: null, masked: {} };
  const more = { sealed: new Uint8Array(1), immutable: false, objectLock: null, status: 'connected', backupCount: 0 };
  api.table.put({ pk: `ORG#${organizationId}`, sk: `DESTINATION#${id}`, ...place, ...more, createdAt: now, updatedAt: now });
  return id;
};
const remove = async (storageId: string) => {
  const path = storageDestinations.remove.path.replace('{storageId}', storageId);
  const { status, body } = await api.send(storageDestinations.remove, { method: 'DELETE', path, params: { storageId }, headers });
  return [status, (body as { error?: { details: unknown } }).error?.details];
};

test('storage destinations: one from which objects are still being deleted stays until they are gone', async () => {
  const [storageId, other] = [putDestination(), putDestination()];
  const id = newId('backup');
  const backup = { ...backupOf({ id }), storageDestination: { id: storageId, name: 'Bucket', type: 's3' } } as const;
  const puts = retireWrites(tenant, { backup, status: 'deleted', expected: {}, now: new Date() }).flatMap((write) =>
    'put' in write ? [write.put] : [],
  );
  const link = puts.find(({ sk }) => sk.startsWith('ARCHIVE#'))!;
  api.table.put(link);
  deepEqual(await remove(other), [200, undefined]);
  deepEqual(await remove(storageId), [409, { backupId: id }]);
  api.table.put({ ...link, erasingFrom: 'none' });
  deepEqual(await remove(storageId), [200, undefined]);
});

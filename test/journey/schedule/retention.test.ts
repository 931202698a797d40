/** Expired backups are deleted with their objects and audited; the last good backup stays. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { endOf, startBackup, takeBackup } from '../../harness/stage/backup.ts';
import { objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { sweepRetention } from '../../harness/stage/retention.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const patienceMs = 300_000;
const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (const endMs = Date.now() + patienceMs; !(await isSo()); await pause(100)) ok(Date.now() < endMs, `not yet: ${what}`);
};

test('retention: after a month the older backup has expired with its objects; the last good backup stays', async () => {
  const organization = await newOrganization();
  const { id: org, owner } = organization;
  const by = { token: owner.accessToken, org };
  const old = await takeBackup(organization, { retention: 1 });
  const { id: storageId } = old.storageDestination;
  const again = await startBackup(organization, { projectId: old.projectId, storageDestinationId: storageId, retention: 1 });
  const last = await endOf(organization, again.id);
  equal(last.status, 'completed');
  const { bucket } = (await call(storageDestinations.get, { ...by, params: { storageId } })).body.data;
  const stored = await objectsIn(bucket);
  ok(Object.keys(stored).some((name) => name.startsWith(`${old.path}/`)));

  // Nothing has expired: the next check is scheduled for the first expiry.
  await sweepRetention();
  const note = { pk: 'RETENTION', sk: org };
  await until('put off', async () => (await getItem(note))?.dueAt === old.expiresAt);
  deepEqual(await objectsIn(bucket), stored);

  const expiresAt = new Date(Date.now() - 3_600_000).toISOString();
  for (const { id } of [old, last]) {
    const key = { pk: `ORG#${org}`, sk: `BACKUP#${id}` };
    await putItem({ ...(await getItem(key)), ...key, expiresAt });
  }
  await putItem({ ...note, organizationId: org, dueAt: expiresAt });
  await sweepRetention();
  const params = { backupId: old.id };
  const statusOf = async (backupId: string) => (await call(backups.get, { ...by, params: { backupId } })).body.data.status;
  await until('expired', async () => (await statusOf(old.id)) === 'expired');
  await until('erased', async () => Object.keys(await objectsIn(bucket, `${old.path}/`)).length === 0);
  equal(await statusOf(last.id), 'completed');
  ok(Object.keys(await objectsIn(bucket, `${last.path}/`)).length > 0);

  const { data: entries } = (await call(auditLogs.list, { ...by, query: { action: 'backup.expired' } })).body;
  deepEqual(
    entries.map(({ actor, resource, details }) => [actor.type, resource.id, details]),
    [['system', old.id, { projectId: old.projectId, reason: 'days', size: old.size, expiresAt }]],
  );
  const listed = async (query: Readonly<Record<string, string>>) =>
    (await call(backups.list, { ...by, query })).body.data.map(({ id }) => id);
  deepEqual(await listed({}), [last.id]);
  deepEqual(await listed({ status: 'expired' }), [old.id]);
  const { statistics } = (await call(organizations.current, by)).body.data;
  deepEqual([statistics.backupCount, statistics.storageUsed], [1, last.size]);

  // Its record can still be read, but not restored.
  const refusals = [
    await call(restores.create, { ...by, body: { backupId: old.id } }),
    await call(backups.verify, { ...by, params }),
    await call(backupContents.documents, { ...by, params }),
    await call(backups.cancel, { ...by, params }),
  ];
  deepEqual(
    refusals.map(({ status, body }) => [status, body.error.code]),
    refusals.map(() => [409, 'CONFLICT']),
  );
  equal((await call(backups.remove, { ...by, params })).status, 200);
  equal(await statusOf(old.id), 'deleted');
  equal((await call(organizations.current, by)).body.data.statistics.backupCount, 1);
});

/** An attack between backups is found, reported, and keeps the last backup from before until a person acknowledges it. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { overview } from '../../../shared/contract/endpoints/overview.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import type { EventData } from '../../../shared/contract/events/event-catalogue.ts';
import { newAttackedProject } from '../../harness/stage/anomaly.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { sweepRetention } from '../../harness/stage/retention.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());

test('anomaly: deletion of 20 % and encryption of 5 % are found in a real backup; a person frees retention again', async () => {
  const organization = await newOrganization();
  const by = { token: organization.owner.accessToken, org: organization.id };
  const hook = { name: 'Hook', url: receiver.url('/anomaly'), events: ['backup.anomaly'] };
  equal((await call(webhooks.create, { ...by, body: hook })).status, 201);
  const { usual, take, attack } = await newAttackedProject(organization);
  deepEqual(
    usual.map(({ status, anomaly }) => [status, anomaly]),
    usual.map(() => ['completed', null]),
  );
  const last = usual.at(-1);
  ok(last);
  const acknowledge = (backupId: string, body: object = {}) => call(backups.acknowledge, { ...by, params: { backupId }, body });
  const unmarked = await acknowledge(last.id);
  deepEqual([unmarked.status, unmarked.body.error.code], [409, 'CONFLICT']);

  await attack();
  const marked = await take('full');
  const { anomaly } = marked;
  ok(anomaly);
  deepEqual(
    [anomaly.source, anomaly.comparedWith, anomaly.keptBackupId, anomaly.before],
    ['backup', last.id, last.id, last.readTime],
  );
  const found = (collection: string | null, kind: string) =>
    anomaly.findings.find((one) => one.collection === collection && one.kind === kind)?.observed;
  deepEqual(found('users', 'deleted'), { documents: 40, total: 200, share: 0.2 });
  deepEqual(found('users', 'entropy'), { documents: 10, total: 200, share: 0.05 });
  deepEqual(found(null, 'deleted'), { documents: 40, total: 250, share: 0.16 });

  const received = await receiver.next(({ path }) => path === '/anomaly');
  const event = JSON.parse(received.body.toString()) as { type: string; data: EventData<'backup.anomaly'> };
  deepEqual([event.type, event.data.backup.id, event.data.findings], ['backup.anomaly', marked.id, anomaly.findings]);
  const listed = async (query: Readonly<Record<string, string>>) =>
    (await call(backups.list, { ...by, query })).body.data.map(({ id }) => id);
  deepEqual(await listed({ anomaly: 'unacknowledged' }), [marked.id]);
  const attention = (await call(overview.get, by)).body.data.attention.map(({ kind }) => kind);
  ok(attention.includes('UNUSUAL_CHANGES'));
  const incidents = async (status: string) =>
    (await call(alerts.incidents, { ...by, query: { status } })).body.data.filter(({ kind }) => kind === 'anomaly').length;
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    for (const endMs = Date.now() + 300_000; !(await isSo()); await pause(200)) ok(Date.now() < endMs, `not yet: ${what}`);
  };
  await until('an incident', async () => (await incidents('open')) === 1);

  // Everything is past its retention, and a good backup follows; the marked one and the one before it stay.
  const later = await take('full');
  equal(later.anomaly, null);
  const keys = [...usual, marked].map(({ id }) => ({ pk: `ORG#${organization.id}`, sk: `BACKUP#${id}` }));
  const expiresAt = new Date(Date.now() - 3_600_000).toISOString();
  for (const key of keys) await putItem({ ...(await getItem(key)), ...key, expiresAt });
  const sweep = async (): Promise<void> => {
    await putItem({ pk: 'RETENTION', sk: organization.id, organizationId: organization.id, dueAt: expiresAt });
    await sweepRetention();
  };
  await sweep();
  const statuses = async () => Promise.all(keys.map(async (key) => (await getItem(key))?.status));
  await until('the others expired', async () => (await statuses())[0] === 'expired');
  deepEqual((await statuses()).slice(3), ['completed', 'completed']);
  for (const { id } of [last, marked]) {
    const refused = await call(backups.remove, { ...by, params: { backupId: id } });
    deepEqual([refused.status, refused.body.error.code, refused.body.error.details.acknowledge], [409, 'CONFLICT', marked.id]);
  }

  const done = await acknowledge(marked.id, { note: 'Restored and cleaned up' });
  equal(done.status, 200, done.text);
  const { acknowledgedAt, acknowledgedBy, note } = done.body.data.anomaly ?? {};
  ok(acknowledgedAt);
  deepEqual([acknowledgedBy?.email, note], [organization.owner.email, 'Restored and cleaned up']);
  const again = await acknowledge(marked.id, { note: 'Another' });
  deepEqual([again.status, again.body.data.anomaly], [200, done.body.data.anomaly]);
  deepEqual([await listed({ anomaly: 'unacknowledged' }), await listed({ anomaly: 'true' })], [[], [marked.id]]);
  const entries = (await call(auditLogs.list, { ...by, query: { action: 'backup.anomaly_acknowledged' } })).body.data;
  deepEqual(
    entries.map(({ resource }) => resource.id),
    [marked.id],
  );
  await until('the recovery', async () => (await incidents('recovered')) === 1);
  await sweep();
  await until('the rest expired', async () => (await statuses()).every((status) => status === 'expired'));
});

/** What no event reports: a key that is about to expire, and a webhook that fails for a quarter of an hour. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { apiKeys } from '../../../shared/contract/endpoints/api-keys.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { call } from '../../harness/stage/client.ts';
import { untilMails } from '../../harness/stage/mail.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { itemsOf, putItem } from '../../harness/stage/table.ts';
import { startTask } from '../../harness/stage/task.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());

const dayMs = 24 * 3_600_000;
const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();
const callerOf = ({ owner, id }: TestOrganization) => ({ token: owner.accessToken, org: id });
const incidentsOf = async (organization: TestOrganization) =>
  (await call(alerts.incidents, callerOf(organization))).body.data.map(({ kind, status, subject }) => ({
    kind,
    status,
    id: subject.id,
  }));
/** What the sweep of every ten minutes does in each organization. */
const assess = ({ id }: TestOrganization) => startTask(id, { kind: 'assess-incidents' });
const untilIncident = async (organization: TestOrganization) => {
  for (;;) {
    const found = await incidentsOf(organization);
    if (found.length > 0) return found;
    await pause(200);
  }
};

test('silence: a key that expires in three days is an incident and a mail, and over once it lives longer', async () => {
  const organization = await newOrganization(undefined, 'Key Engines');
  const by = callerOf(organization);
  const body = { name: 'Nightly pipeline', expiresAt: fromNow(60 * dayMs) };
  const key = (await call(apiKeys.create, { ...by, body })).body.data;
  await assess(organization);
  // The clock cannot be moved on: the key was made 57 days ago instead.
  const record = (await itemsOf(`ORG#${organization.id}`)).find(({ id }) => id === key.id);
  ok(record);
  await putItem({ ...record, expirySetAt: fromNow(-57 * dayMs), expiresAt: fromNow(3 * dayMs) });
  await assess(organization);
  deepEqual(await untilIncident(organization), [{ kind: 'api_key_expiring', status: 'open', id: key.id }]);
  const [mail] = await untilMails(organization.owner.email);
  match(mail?.subject ?? '', /API key about to expire: Nightly pipeline/);
  match(mail?.text ?? '', /Rotate or extend it/);
  const expiresAt = fromNow(80 * dayMs);
  equal((await call(apiKeys.update, { ...by, params: { apiKeyId: key.id }, body: { expiresAt } })).status, 200);
  await assess(organization);
  const mails = await untilMails(organization.owner.email, 2);
  match(mails[0]?.subject ?? '', /API key about to expire: Nightly pipeline/);
  deepEqual(
    (await incidentsOf(organization)).map(({ status }) => status),
    ['recovered'],
  );
});

test('silence: a webhook that fails for 15 minutes is an incident, even if only once was tried', async () => {
  const organization = await newOrganization(undefined, 'Hook Engines');
  const by = callerOf(organization);
  receiver.answer('/silence', { status: 500 });
  const body = { name: 'Chat', url: receiver.url('/silence'), events: ['organization.updated'] };
  const webhook = (await call(webhooks.create, { ...by, body })).body.data;
  // What the first failure sends with a delay of 15 minutes.
  const report = () => startTask(organization.id, { kind: 'apply-webhook', webhookId: webhook.id });
  equal((await call(organizations.update, { ...by, body: { name: 'Hook Engines Ltd' } })).status, 200);
  await receiver.next(({ path }) => path === '/silence');
  const healthOf = async () => (await itemsOf(`DELIVERY#${organization.id}#${webhook.id}`)).find(({ sk }) => sk === 'HEALTH');
  while ((await healthOf())?.failingSince === undefined) await pause(200);
  const health = await healthOf();
  ok(health);
  await report();
  await pause(3_000);
  deepEqual(await incidentsOf(organization), [], 'it has failed for seconds only');
  // The clock cannot be moved on: it began to fail 16 minutes earlier instead, when the alert, which is told of no older failure, existed.
  const alert = (await itemsOf(`ORG#${organization.id}`)).find(({ sk }) => String(sk).startsWith('ALERT#'));
  ok(alert);
  await putItem({ ...alert, createdAt: fromNow(-3_600_000) });
  await putItem({ ...health, failingSince: fromNow(-16 * 60_000) });
  await report();
  deepEqual(await untilIncident(organization), [{ kind: 'webhook_failing', status: 'open', id: webhook.id }]);
  const [mail] = await untilMails(organization.owner.email);
  match(mail?.subject ?? '', /Webhook failing: Chat/);
});

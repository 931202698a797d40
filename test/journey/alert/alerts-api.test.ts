/** Alerts over the API: the default one, channels and their fields, roles, secrets, limits, tests and history. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { startAlertProviders } from '../../harness/alert/alert-providers.ts';
import { newProject } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { untilMails } from '../../harness/stage/mail.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail } from '../../harness/stage/person.ts';
import { itemsOf } from '../../harness/stage/table.ts';

const providers = await startAlertProviders();
afterAll(() => providers.stop());
const organization = await newOrganization();
const by = { token: organization.owner.accessToken, org: organization.id };
const create = (body: object, headers: Record<string, string> = {}) => call(alerts.create, { ...by, body, headers });
const slack = { name: 'Chat', channel: 'slack', url: providers.url('slack') };

test('alerts: an organization starts with e-mails to its owners, and a deleted default does not come back', async () => {
  const other = await newOrganization();
  const as = { token: other.owner.accessToken, org: other.id };
  const { body } = await call(alerts.list, as);
  const [alert, ...more] = body.data;
  ok(alert);
  deepEqual(more, []);
  const { name, channel, recipients, severity, projectIds, kinds, lapsedAfterHours, digest, enabled, status, isDefault } = alert;
  deepEqual(
    { name, channel, recipients, severity, projectIds, kinds, lapsedAfterHours, digest, enabled, status, isDefault },
    {
      name: 'Owners by e-mail',
      channel: 'email',
      recipients: 'owners',
      severity: 'warning',
      projectIds: [],
      kinds: [],
      lapsedAfterHours: 48,
      digest: true,
      enabled: true,
      status: 'active',
      isDefault: true,
    },
  );
  equal((await call(alerts.remove, { ...as, params: { alertId: alert.id } })).status, 200);
  deepEqual((await call(alerts.list, as)).body.data, []);
});

test('alerts: wrong input is refused with the field', async () => {
  const foreign = await newProject(await newOrganization());
  const refused: readonly (readonly [object, string])[] = [
    [{ ...slack, kinds: ['backup_exploded'] }, 'kinds'],
    [{ ...slack, projectIds: [foreign.id] }, 'projectIds'],
    [{ ...slack, url: 'http://hooks.slack.com/services/x' }, 'url'],
    [{ ...slack, url: 'https://169.254.169.254/latest' }, 'url'],
    [{ ...slack, url: undefined }, 'url'],
    [{ ...slack, recipients: 'owners' }, 'recipients'],
    [{ ...slack, routingKey: '0123456789abcdef0123456789abcdef' }, 'routingKey'],
    [{ ...slack, digest: true }, 'digest'],
    [{ name: 'Mail', channel: 'email', url: slack.url }, 'url'],
    [{ name: 'Mail', channel: 'email', recipients: [] }, 'recipients'],
    [{ name: 'Mail', channel: 'email', recipients: ['nobody'] }, 'recipients.0'],
    [{ name: 'Mail', channel: 'email', recipients: Array.from({ length: 21 }, (_, n) => `n${n}@example.com`) }, 'recipients'],
    [{ name: 'Pager', channel: 'pagerduty' }, 'routingKey'],
    [{ name: 'Pager', channel: 'pagerduty', routingKey: 'short' }, 'routingKey'],
    [{ ...slack, lapsedAfterHours: 0 }, 'lapsedAfterHours'],
    [{ ...slack, lapsedAfterHours: 8_761 }, 'lapsedAfterHours'],
    [{ ...slack, severity: 'fatal' }, 'severity'],
    [{ ...slack, channel: 'carrier-pigeon' }, 'channel'],
    [{ ...slack, colour: 'red' }, 'colour'],
  ];
  for (const [body, field] of refused) {
    const answer = await create(body);
    equal(answer.status, 400, `${JSON.stringify(body)}: ${answer.text}`);
    const { details } = (answer.body as unknown as { error: { details: { field: string } } }).error;
    equal(details.field, field, answer.text);
  }
});

test('alerts: created, changed, tested and deleted by admins, with audit entries and masked secrets', async () => {
  const routingKey = '0123456789abcdef0123456789abcdef';
  const made = await create({ name: 'Pager', channel: 'pagerduty', url: providers.url('pagerduty'), routingKey });
  equal(made.status, 201, made.text);
  const { id: alertId, url, routingKey: shown } = made.body.data;
  equal(made.headers.get('location'), `/api/v1/alerts/${alertId}`);
  match(String(url), /^https:\/\/localhost:\d+\/\*{8}$/);
  equal(shown, '********');
  const params = { alertId };
  const stored = JSON.stringify(await itemsOf(`ORG#${organization.id}`));
  ok(!stored.includes(routingKey), 'the key is encrypted at rest');
  equal((await call(alerts.update, { ...by, params, body: { channel: 'slack' } })).status, 400);
  equal((await call(alerts.update, { ...by, params, body: { url: String(url) } })).status, 400, 'a masked URL');
  const changed = await call(alerts.update, {
    ...by,
    params,
    body: { severity: 'critical', kinds: ['backup_failed', 'backup_failed'] },
  });
  deepEqual([changed.status, changed.body.data.severity, changed.body.data.kinds], [200, 'critical', ['backup_failed']]);

  const tested = await call(alerts.test, { ...by, params });
  deepEqual([tested.status, tested.body.data.success, tested.body.data.statusCode], [200, true, 202], tested.text);
  providers.remove('pagerduty');
  const refused = await call(alerts.test, { ...by, params });
  deepEqual([refused.status, refused.body.data.success], [200, false], refused.text);
  notEqual(refused.body.data.error, undefined);
  const { body } = await call(alerts.deliveries, { ...by, params });
  deepEqual(
    body.data.deliveries.map(({ state, status }) => [state, status]),
    [
      ['test', 'failed'],
      ['test', 'delivered'],
    ],
  );
  equal((await call(alerts.get, { ...by, params })).body.data.status, 'active', 'a test does not count');
  equal((await call(alerts.remove, { ...by, params })).status, 200);
  equal((await call(alerts.get, { ...by, params })).status, 404);
  const entries = (await call(auditLogs.list, { ...by, query: { resourceType: 'alert' } })).body.data;
  deepEqual(
    entries.filter(({ resource }) => resource.id === alertId).map(({ action }) => action),
    ['alert.deleted', 'alert.tested', 'alert.tested', 'alert.updated', 'alert.created'],
  );
  ok(!JSON.stringify(entries).includes(routingKey));
});

test('alerts: a new URL gets the next message, and a message that has ended is sent once more', async () => {
  const params = { alertId: (await create({ ...slack, name: 'Moved' })).body.data.id };
  const changed = await call(alerts.update, { ...by, params, body: { url: providers.url('slack', 'moved') } });
  equal(changed.status, 200, changed.text);
  const { deliveryId } = (await call(alerts.test, { ...by, params })).body.data;
  const first = await providers.next('slack', undefined, 'moved');
  const retried = await call(alerts.retry, { ...by, params: { ...params, deliveryId } });
  equal(retried.status, 202, retried.text);
  const second = await providers.next('slack', undefined, 'moved');
  deepEqual(second.json, first.json);
});

test('alerts: a test by e-mail reaches every recipient, and a repeated creation is the same alert', async () => {
  const recipients = [newEmail(), newEmail()];
  const headers = { 'idempotency-key': 'alert-once' };
  const [first, again] = [
    await create({ name: 'Team', channel: 'email', recipients }, headers),
    await create({ name: 'Team', channel: 'email', recipients }, headers),
  ];
  equal(first.body.data.id, again.body.data.id);
  const tested = await call(alerts.test, { ...by, params: { alertId: first.body.data.id } });
  deepEqual([tested.body.data.success, tested.body.data.recipients], [true, recipients], tested.text);
  for (const email of recipients) match((await untilMails(email))[0]?.subject ?? '', /Test/);
});

test('alerts: an organization has at most 20', async () => {
  const full = await newOrganization();
  const as = { token: full.owner.accessToken, org: full.id };
  for (let n = 0; n < 19; n++)
    equal((await call(alerts.create, { ...as, body: { name: `${n}`, channel: 'email' } })).status, 201);
  const refused = await call(alerts.create, { ...as, body: { name: 'One more', channel: 'email' } });
  deepEqual(
    [refused.status, (refused.body as unknown as { error: { code: string } }).error.code],
    [409, 'CONFLICT'],
    refused.text,
  );
});

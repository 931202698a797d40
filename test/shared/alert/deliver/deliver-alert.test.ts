/** Messages reach their provider once and in order; refusals are retried, ended or disable the alert. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { deliverAlert } from '../../../../shared/alert/deliver/deliver-alert.ts';
import { disableAlert, notifyAlertDisabled, sendAlertEmail } from '../../../../shared/alert/index.ts';
import type { AlertMessage } from '../../../../shared/alert/message/index.ts';
import { alertAttempt } from '../../../../shared/alert/model/alert-attempt.ts';
import { newAlertDelivery } from '../../../../shared/alert/model/new-alert-delivery.ts';
import { type AlertDeliveryRecord, type AlertRecord, alertKey } from '../../../../shared/alert/model/record.ts';
import { iso, newIdOf, type PostOutcome } from '../../../../shared/platform/index.ts';
import { active, alertOf, createAlertEnv, minutes, now, tenant } from '../../../harness/env/alert-env.ts';

const { table, aws, reset, messages } = await createAlertEnv();
afterAll(() => aws.stop());
Object.assign(process.env, { WEBHOOK_HOSTS: '', SECRETS_KEY_ID: 'key' });

const message: AlertMessage = {
  incidentId: newIdOf('incident', now),
  state: 'open',
  kind: 'backup_failed',
  severity: 'warning',
  title: 'Backup failed: Shop',
  text: 'Access denied',
  facts: [],
  organization: { id: active.id, name: active.name },
  link: 'https://console.example.com/backups',
  openedAt: iso(now),
  count: 1,
};
const deliveryOf = (alert: AlertRecord, more: Partial<AlertDeliveryRecord> = {}): AlertDeliveryRecord => {
  const id = newIdOf('delivery', now);
  const { title } = message;
  return {
    ...newAlertDelivery(tenant, { id, alertId: alert.id, state: 'open', kind: 'backup_failed', title, message }, now),
    ...more,
  };
};
const email = () => alertOf({ channel: 'email', recipients: 'owners' });
const stored = (delivery: AlertDeliveryRecord) => table.get<AlertDeliveryRecord>(delivery);
const attempt = ({ id: alertId, channel }: AlertRecord, { id: deliveryId }: AlertDeliveryRecord, number = 1) =>
  alertAttempt(channel, { alertId, deliveryId, attempt: number });
const clock = { now: () => now };
const mails = () => aws.sent('').map((input) => JSON.stringify(input));

test('e-mail: the owner gets it once, however often the task is delivered', async () => {
  const alert = email();
  const delivery = deliveryOf(alert);
  reset(alert);
  table.put(delivery);
  for (let n = 0; n < 3; n++) await sendAlertEmail(tenant, attempt(alert, delivery), { clock, random: () => 0 });
  equal(mails().length, 1);
  match(mails()[0] ?? '', /owner@example\.com/);
  const { status, attempts, response, sentTo } = stored(delivery)!;
  deepEqual([status, attempts, response, sentTo], ['delivered', 1, 'Sent to 1 of 1 address', ['owner@example.com']]);
  const health = table.get<{ lastDelivery: { state: string; status: string } }>(alertKey.health(tenant, alert.id));
  deepEqual([health?.lastDelivery.state, health?.lastDelivery.status], ['open', 'delivered']);
});

test('e-mail: the owner is not told twice of a disabled webhook', async () => {
  const alert = email();
  const delivery = deliveryOf(alert, { kind: 'webhook_disabled' });
  reset(alert);
  table.put(delivery);
  await sendAlertEmail(tenant, attempt(alert, delivery), { clock, random: () => 0 });
  deepEqual([mails().length, stored(delivery)?.status], [0, 'delivered']);
});

test('e-mail: a recovery waits for its opening, and is not sent without it', async () => {
  const alert = email();
  const opening = deliveryOf(alert);
  const recovery = deliveryOf(alert, { state: 'recovered', follows: opening.id });
  reset(alert);
  for (const item of [opening, recovery]) table.put(item);
  await sendAlertEmail(tenant, attempt(alert, recovery), { clock, random: () => 0 });
  deepEqual([mails().length, stored(recovery)?.attempts], [0, 0]);
  deepEqual(
    messages().map(([, { kind, deliveryId }]) => [kind, deliveryId]),
    [['send-alert-email', recovery.id]],
  );
  table.put({ ...opening, status: 'failed' });
  await sendAlertEmail(tenant, attempt(alert, recovery), { clock, random: () => 0 });
  deepEqual([mails().length, stored(recovery)?.status], [0, 'failed']);
});

test('e-mail: a deleted organization sends nothing more', async () => {
  const alert = email();
  const delivery = deliveryOf(alert);
  reset(alert);
  table.put(delivery);
  table.put({ ...active, deletedAt: iso(now) });
  await sendAlertEmail(tenant, attempt(alert, delivery), { clock, random: () => 0 });
  deepEqual([mails().length, stored(delivery)?.status, stored(delivery)?.attempts], [0, 'failed', 0]);
});

const answered = (status: number, body: string, headers: Record<string, string> = {}): PostOutcome => ({
  kind: 'answered',
  status,
  retryAfter: headers['retry-after'],
  response: { headers, body },
  durationMs: 5,
});
/** One attempt of a Slack alert whose provider answers so. */
const deliverWith = async (outcome: PostOutcome, number = 1, more: Partial<AlertDeliveryRecord> = {}) => {
  const alert = alertOf({ channel: 'slack' });
  const delivery = deliveryOf(alert, more);
  reset({ ...alert, sealedUrl: Buffer.from('https://hooks.slack.com/services/x') });
  table.put(delivery);
  const post = async () => outcome;
  await deliverAlert(tenant, attempt(alert, delivery, number), { clock, random: () => 0, post });
  return { alert, delivery: stored(delivery)! };
};

test('request: a rate limit lengthens the delay to what the provider asks for', async () => {
  const { delivery } = await deliverWith(answered(429, '', { 'retry-after': '90' }));
  const { status, attempts, nextAttemptAt, response, statusCode } = delivery;
  deepEqual([status, attempts, nextAttemptAt, statusCode], ['attempting', 1, iso(minutes(1.5)), 429]);
  match(response ?? '', /HTTP 429/);
  deepEqual(
    messages().map(([queue, { kind, attempt: next }]) => [queue, kind, next]),
    [['AlertDeliveries', 'deliver-alert', 2]],
  );
});

test('request: a revoked webhook disables its alert, with an e-mail to the owner and an audit entry', async () => {
  const { alert, delivery } = await deliverWith(answered(404, 'no_service'));
  equal(delivery.status, 'failed');
  const [task] = messages().map(([, given]) => given);
  ok(task?.kind === 'disable-alert');
  await disableAlert(tenant, task as never, now);
  await disableAlert(tenant, task as never, now);
  const disabled = table.get<AlertRecord>(alert)!;
  deepEqual([disabled.enabled, disabled.disabled?.reason, disabled.revision], [false, 'gone', 2]);
  equal(table.find(`AUDIT#${active.id}`).length, 1);
  await notifyAlertDisabled(tenant, alert.id);
  match(mails()[0] ?? '', /Alert disabled: Pager/);
});

test('request: a rejected message is not repeated, and the last attempt ends the message', async () => {
  equal((await deliverWith(answered(400, 'invalid_blocks'))).delivery.status, 'failed');
  const last = await deliverWith(answered(500, ''), 5, { attempts: 4 });
  deepEqual([last.delivery.status, last.delivery.attempts], ['failed', 5]);
});

for (const [name, change] of [
  ['disabled', (alert: AlertRecord) => table.put({ ...alert, enabled: false })],
  ['deleted', (alert: AlertRecord) => table.items.delete(`${alert.pk}\n${alert.sk}`)],
] as const)
  test(`request: a duplicate does not end an attempt in progress, even if the alert was ${name} meanwhile`, async () => {
    const alert = alertOf({ channel: 'slack', sealedUrl: Buffer.from('https://hooks.slack.com/services/x') });
    const delivery = deliveryOf(alert);
    reset(alert);
    table.put(delivery);
    const answer = async () => answered(200, 'ok');
    const post = async () => {
      change(alert);
      await deliverAlert(tenant, attempt(alert, delivery), { clock, random: () => 0, post: answer });
      return answer();
    };
    await deliverAlert(tenant, attempt(alert, delivery), { clock, random: () => 0, post });
    deepEqual([stored(delivery)?.status, stored(delivery)?.attempts], ['delivered', 1]);
    // The duplicate looks again when the lease has ended.
    deepEqual(
      messages().map(([queue, { kind, attempt: number }]) => [queue, kind, number]),
      [['AlertDeliveries', 'deliver-alert', 1]],
    );
  });

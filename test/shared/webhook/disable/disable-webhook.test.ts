/** A failing webhook is disabled once, with an audit entry and an e-mail, unless it changed or recovered meanwhile. */
import { deepEqual, ok } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { accountKey } from '../../../../shared/account/index.ts';
import { iso } from '../../../../shared/platform/index.ts';
import { disabledEmail } from '../../../../shared/webhook/disable/disabled-email.ts';
import { disableWebhook, notifyOwner } from '../../../../shared/webhook/index.ts';
import { type WebhookRecord, webhookKey } from '../../../../shared/webhook/model/record.ts';
import { createWebhookRecordsEnv, minutes, now, organization, tenant, webhookOf } from '../../../harness/env/webhook-records.ts';

const { table, aws, tasks } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());

const webhook = webhookOf();
const days = (count: number) => minutes(count * 24 * 60);
const health = { ...webhookKey.health(tenant, webhook.id), failingSince: iso(days(-6)), ttl: 1 };
const owner = { ...accountKey.user(organization.ownerId), id: organization.ownerId, email: 'owner@example.com' };
beforeEach(() => {
  table.items.clear();
  table.onWrite = () => undefined;
  aws.calls.length = 0;
  for (const item of [organization, webhook, health, owner]) table.put(item);
});

type Task = Parameters<typeof disableWebhook>[1];
const failing: Task = { webhookId: webhook.id, reason: 'failing', failingSince: health.failingSince, revision: 1 };
const gone: Task = { webhookId: webhook.id, reason: 'gone', failingSince: iso(now), revision: 1 };
const disable = (task: Task) => disableWebhook(tenant, task, now);
const stored = () => table.get<WebhookRecord>(webhook);
const entries = () => table.find(`AUDIT#${organization.id}`);
const mails = () => aws.sent('').map((input) => JSON.stringify(input));

for (const task of [failing, gone])
  test(`disable: reason ${task.reason} is stored, with a system audit entry and a task that notifies the owner`, async () => {
    await disable(task);
    const { enabled, disabled, revision, updatedAt } = stored()!;
    const { reason, failingSince } = task;
    deepEqual([enabled, disabled, revision, updatedAt], [false, { reason, at: iso(now), failingSince }, 2, iso(now)]);
    deepEqual(tasks(), [{ kind: 'notify-webhook-disabled', webhookId: webhook.id }]);
    const [entry, ...more] = entries();
    deepEqual(more, []);
    deepEqual(
      [entry!.action, (entry!.actor as { type: string }).type, entry!.details],
      ['webhook.disabled', 'system', { name: webhook.name, reason, failingSince }],
    );
  });

test('disable: a duplicate task disables the webhook once', async () => {
  await Promise.all([disable(gone), disable(gone)]);
  await disable(gone);
  deepEqual([tasks().length, entries().length, stored()?.revision], [1, 1, 2]);
});

for (const [name, task, change] of [
  ['a success meanwhile', failing, () => table.put({ pk: health.pk, sk: health.sk, ttl: 1 })],
  ['a later start of the failures', failing, () => table.put({ ...health, failingSince: iso(days(-1)) })],
  ['a new URL since the request that got a 410', gone, () => table.put({ ...webhook, revision: 2 })],
  ['a change since the failed request', failing, () => table.put({ ...webhook, revision: 2 })],
  ['a webhook that is already disabled', gone, () => table.put({ ...webhook, enabled: false })],
  ['a deleted webhook', gone, () => table.items.delete(`${webhook.pk}\n${webhook.sk}`)],
  ['a deleted organization', gone, () => table.put({ ...organization, deletedAt: iso(now) })],
] as const)
  test(`disable: ${name} cancels the task`, async () => {
    change();
    const before = [...table.items];
    await disable(task);
    deepEqual([...table.items], before);
  });

for (const [name, changed] of [
  ['given another URL', { url: 'https://example.org/hooks' }],
  ['disabled', { enabled: false }],
] as const)
  test(`disable: a webhook that is ${name} concurrently is not disabled`, async () => {
    const left = { ...webhook, ...changed, revision: 2 };
    let isFirst = true;
    table.onWrite = (when) => {
      if (when === 'before' && isFirst) table.put(left);
      isFirst = false;
      return undefined;
    };
    await disable(failing);
    deepEqual([stored(), entries(), tasks()], [left, [], []]);
  });

test('notify: the owner gets an e-mail when the webhook is disabled', async () => {
  await disable(gone);
  await notifyOwner(tenant, webhook.id, now);
  const [mail, ...more] = mails();
  deepEqual(more, []);
  ok(mail?.includes('owner@example.com') && mail.includes('Pager') && mail.includes('Acme') && mail.includes('example.com'));
});

for (const [name, change] of [
  ['was enabled again', () => table.put({ ...stored(), enabled: true })],
  ['was deleted', () => table.items.delete(`${webhook.pk}\n${webhook.sk}`)],
] as const)
  test(`notify: no e-mail is sent for a webhook that ${name}`, async () => {
    await disable(gone);
    change();
    await notifyOwner(tenant, webhook.id, now);
    deepEqual(mails(), []);
  });

test('notify: at most ten e-mails per hour are sent; the tenth refers to the audit log', async () => {
  const many = Array.from({ length: 12 }, () => webhookOf({ enabled: false, disabled: { ...gone, at: iso(now) } }));
  for (const one of many) table.put(one);
  for (const { id } of many) await notifyOwner(tenant, id, now);
  const isLast = mails().map((mail) => mail.includes('/audit-logs'));
  deepEqual(isLast, [...Array(9).fill(false), true]);
  await notifyOwner(tenant, many[11]!.id, minutes(60));
  deepEqual(mails().length, 11);
  ok(!mails()[10]!.includes('/audit-logs'));
});

const letter = (reason: 'gone' | 'failing') =>
  disabledEmail({
    organizationName: `<script>alert("1")</script> & 'Sons'`,
    webhookName: '<b>Pager</b>',
    url: 'https://hooks.example.com:8443/T0/sesame?token=open',
    reason,
    at: '2026-03-01T10:00:00.000Z',
    failingSince: '2026-02-23T09:30:00.000Z',
    isLast: false,
  });

test('e-mail: shows only the host of the URL, because the rest may be a secret', () => {
  for (const { subject, text, html } of [letter('gone'), letter('failing')]) {
    for (const form of [text, html]) ok(form.includes('hooks.example.com:8443'));
    for (const form of [subject, text, html]) ok(!/sesame|token|open/.test(form.replaceAll('reopen', '')), form);
  }
});

test('e-mail: user-supplied text is escaped in the HTML', () => {
  const { html } = letter('failing');
  ok(!/<script|<b>Pager/.test(html));
  ok(html.includes('&lt;b&gt;Pager&lt;/b&gt;') && html.includes('&amp; &#39;Sons&#39;'));
});

test('e-mail: states since when the endpoint fails and what to do', () => {
  ok(letter('failing').text.includes('2026-02-23 09:30 UTC'));
  ok(letter('gone').text.includes('410'));
  for (const form of [letter('gone').text, letter('failing').html]) ok(form.includes('/toggle') && form.includes('/replay'));
});

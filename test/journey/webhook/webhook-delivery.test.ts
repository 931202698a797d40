/** Events are delivered to subscribers: signed, listed in the history, and retried after a failure. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, test } from 'vitest';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());
const organization = await newOrganization();
const by = { token: organization.owner.accessToken, org: organization.id };

const create = async (path: string, events: readonly string[]) => {
  const body = { name: path, url: receiver.url(path), events };
  const answer = await call(webhooks.create, { ...by, body });
  equal(answer.status, 201, answer.text);
  return answer.body.data;
};
const change = async (name: string): Promise<string | null> => {
  const answer = await call(organizations.update, { ...by, body: { name } });
  equal(answer.status, 200, answer.text);
  return answer.headers.get('x-request-id');
};
/** Waits for the first recorded attempt of a webhook's only delivery. */
const delivered = async (webhookId: string) => {
  for (;;) {
    const { body } = await call(webhooks.deliveries, { ...by, params: { webhookId } });
    const [delivery, ...others] = body.data.deliveries;
    equal(others.length, 0);
    if (delivery && delivery.attempts > 0) return delivery;
    await pause(250);
  }
};

test('delivery: subscribers receive an event signed per Standard Webhooks, and the history shows it', async () => {
  const [hears, other] = await Promise.all([create('/hears', ['organization.*']), create('/other', ['backup.*'])]);
  const requestId = await change('Renamed');
  const { headers, body } = await receiver.next(({ path }) => path === '/hears');
  const told = new Webhook(String(hears.secret)).verify(body.toString(), headers as Record<string, string>) as {
    readonly id: string;
    readonly type: string;
    readonly data: { readonly organization: { readonly id: string; readonly name: string } };
    readonly metadata: object;
  };
  equal(told.type, 'organization.updated');
  deepEqual([told.data.organization.id, told.data.organization.name], [organization.id, 'Renamed']);
  const { id, eventId, eventType, status, statusCode, attempts, nextAttemptAt } = await delivered(hears.id);
  deepEqual(
    { eventId, eventType, status, statusCode, attempts, nextAttemptAt },
    {
      eventId: told.id,
      eventType: 'organization.updated',
      status: 'delivered',
      statusCode: 200,
      attempts: 1,
      nextAttemptAt: null,
    },
  );
  deepEqual(told.metadata, { trigger: null, scheduleId: null, attempt: 1, deliveryId: id, requestId });
  equal(headers['x-service-delivery-id'], id);
  const { body: seen } = await call(webhooks.get, { ...by, params: { webhookId: hears.id } });
  ok(seen.data.lastTriggeredAt);
  equal((await call(webhooks.deliveries, { ...by, params: { webhookId: other.id } })).body.data.deliveries.length, 0);
});

test('delivery: a failed attempt is retried after a minute, and the history shows when', async () => {
  receiver.answer('/fails', { status: 500 });
  const { id } = await create('/fails', ['*']);
  await change('Renamed again');
  const { status, statusCode, attempts, lastError, lastAttemptAt, nextAttemptAt } = await delivered(id);
  deepEqual(
    { status, statusCode, attempts, lastError },
    { status: 'attempting', statusCode: 500, attempts: 1, lastError: 'HTTP 500' },
  );
  const waitMs = Date.parse(String(nextAttemptAt)) - Date.parse(String(lastAttemptAt));
  ok(waitMs >= 60_000, `${waitMs} ms`);
});

test('delivery: the progress of several backups at once arrives in order, each before the end of its backup', async () => {
  const { id: webhookId } = await create('/progress', ['backup.progress', 'backup.completed']);
  const taken = await Promise.all([takeBackup(organization), takeBackup(organization), takeBackup(organization)]);
  const steps = 11;
  const ended = await lookUntil(
    async () => (await call(webhooks.deliveries, { ...by, params: { webhookId }, query: { limit: '100' } })).body.data.deliveries,
    (deliveries) => deliveries.length === taken.length * steps && deliveries.every(({ status }) => status !== 'attempting'),
  );
  const heard = receiver.requests.filter(({ path }) => path === '/progress').map(stepOf);
  for (const backup of taken) {
    const percents = heard.filter(({ id }) => id === backup.id).map(({ percent }) => percent);
    deepEqual(
      percents,
      percents.toSorted((a, b) => a - b),
    );
    equal(percents.at(-1), 101);
  }
  // What was not sent is said to be skipped.
  const skipped = ended.filter(({ status }) => status === 'skipped');
  equal(heard.length + skipped.length, taken.length * steps);
});

/** The end of a backup counts as 101 %. */
const stepOf = ({ body }: { readonly body: Buffer }) => {
  const { data } = JSON.parse(body.toString()) as {
    readonly data: { readonly backup: { readonly id: string }; readonly progress?: { readonly percent: number } };
  };
  return { id: data.backup.id, percent: data.progress?.percent ?? 101 };
};

/** Delivery history of a webhook: test deliveries, listing, resending, replays, and disabling. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { newId, unsafeTenant } from '../../../shared/platform/index.ts';
import { webhookKey } from '../../../shared/webhook/model/record.ts';
import { call } from '../../harness/stage/client.ts';
import { mailsTo } from '../../harness/stage/mail.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { newEmail } from '../../harness/stage/person.ts';
import { type Answer, type ReceivedRequest, type Receiver, startReceiver } from '../../harness/stage/receiver.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const secret = 'a secret of our own';
const credential = 'Bearer canary-of-a-customer';
let receiver: Receiver;
let organization: TestOrganization;
let by: { readonly token: string; readonly org: string };
beforeAll(async () => {
  [receiver, organization] = await Promise.all([startReceiver(), newOrganization()]);
  by = { token: organization.owner.accessToken, org: organization.id };
});
afterAll(() => receiver.stop());

let made = 0;
/** Creates a webhook with its own path and responses, without retries. */
const newWebhook = async (more: object = {}, ...answers: readonly Answer[]): Promise<{ id: string; path: string }> => {
  const path = `/hook-${++made}`;
  if (answers.length > 0) receiver.answer(path, ...answers);
  const body = {
    name: `Hook ${made}`,
    url: receiver.url(path),
    events: ['invitation.created'],
    secret,
    retryEnabled: false,
    ...more,
  };
  const answer = await call(webhooks.create, { ...by, body });
  equal(answer.status, 201, answer.text);
  return { id: answer.body.data.id, path };
};
const heardAt = (path: string): readonly ReceivedRequest[] => receiver.requests.filter((heard) => heard.path === path);
/** Causes an event. */
const happen = async (): Promise<void> => {
  equal((await call(invites.create, { ...by, body: { email: newEmail() } })).status, 201);
};
const list = async (webhookId: string, query: Record<string, string> = {}) => {
  const answer = await call(webhooks.deliveries, { ...by, params: { webhookId }, query });
  equal(answer.status, 200, answer.text);
  return { deliveries: answer.body.data.deliveries, pagination: answer.body.pagination };
};
const patienceMs = 300_000;
const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (const endMs = Date.now() + patienceMs; ; await pause(250)) {
    const found = await look();
    if (found !== undefined) return found;
    ok(Date.now() < endMs, `not within ${patienceMs} ms`);
  }
};
const untilDelivery = (webhookId: string, status: string, attempts: number) =>
  until(async () => (await list(webhookId)).deliveries.find((each) => each.status === status && each.attempts === attempts));
const retry = (webhookId: string, deliveryId: string) => call(webhooks.retry, { ...by, params: { webhookId, deliveryId } });
const tryOut = (webhookId: string, body?: object) => call(webhooks.test, { ...by, params: { webhookId }, ...(body && { body }) });
const entries = async (action: string, webhookId: string) =>
  (await call(auditLogs.list, { ...by, query: { action } })).body.data.filter(({ resource }) => resource.id === webhookId);

describe('the test endpoint', () => {
  test('sends a sample event at once and stores the delivery', async () => {
    const { id, path } = await newWebhook({ events: ['restore.*', 'backup.failed'] });
    const { status, body } = await tryOut(id);
    const { duration, deliveryId, ...rest } = body.data;
    equal(status, 200);
    const url = receiver.url(path);
    const results = { webhookId: id, webhookName: `Hook ${made}`, event: 'backup.failed', url, success: true, statusCode: 200 };
    deepEqual(rest, results);
    ok(Number.isInteger(duration) && duration >= 0);
    const [heard, ...more] = heardAt(path);
    deepEqual(more, []);
    const sent = JSON.parse(heard!.body.toString()) as { type: string; metadata: { deliveryId: string; test: boolean } };
    deepEqual(
      {
        type: sent.type,
        deliveryId: sent.metadata.deliveryId,
        metadataTest: sent.metadata.test,
        headersTest: heard!.headers['x-service-test'],
      },
      { type: 'backup.failed', deliveryId, metadataTest: true, headersTest: 'true' },
    );
    const [delivery] = (await list(id)).deliveries;
    const { id: listed, status: ended, attempts, test: isTest, lastError } = delivery!;
    deepEqual(
      { listed, ended, attempts, isTest, lastError },
      { listed: deliveryId, ended: 'delivered', attempts: 1, isTest: true, lastError: undefined },
    );
    deepEqual((await entries('webhook.tested', id)).length, 1);
  });

  test('reports the status of the endpoint, never its response body', async () => {
    const { id } = await newWebhook({}, { status: 500, body: 'internal-password-123' });
    const answer = await tryOut(id);
    const { success, statusCode, error, deliveryId } = answer.body.data;
    deepEqual(
      { status: answer.status, bodySuccess: answer.body.success, success, statusCode, error },
      { status: 200, bodySuccess: true, success: false, statusCode: 500, error: 'HTTP 500' },
    );
    const kept = await getItem({ pk: `DELIVERY#${organization.id}#${id}`, sk: deliveryId });
    for (const text of [answer.text, JSON.stringify(kept)]) ok(!text.includes('internal-password-123'));
  });

  test('does not reveal whether an address is blocked, closed or unknown', async () => {
    const closed = await closedPort();
    const results: unknown[] = [];
    for (const url of [`https://127.0.0.1:${receiver.port}/`, `https://localhost:${closed}/`, 'https://nobody.invalid/']) {
      const { id } = await newWebhook();
      // Such an address is refused at creation, but DNS can change later.
      const key = { pk: `ORG#${organization.id}`, sk: `WEBHOOK#${id}` };
      await putItem({ ...(await getItem(key))!, url });
      const { success, statusCode, error, ...rest } = (await tryOut(id)).body.data;
      equal(rest.url, url);
      results.push({ success, statusCode, error });
    }
    const same = { success: false, statusCode: null, error: 'could not connect' };
    deepEqual(results, [same, same, same]);
  });

  test("waits for a hanging endpoint no longer than the webhook's timeout", async () => {
    const { id } = await newWebhook({ timeout: 200 }, 'hang');
    const { success, statusCode, error } = (await tryOut(id)).body.data;
    deepEqual({ success, statusCode, error }, { success: false, statusCode: null, error: 'timed out after 200 ms' });
  });

  test('accepts only events of the format, also for a disabled webhook', async () => {
    const { id, path } = await newWebhook({ format: 'simple', events: ['*'], enabled: false });
    const refused = await tryOut(id, { event: 'storage.error' });
    deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_ERROR']);
    const { field, invalidValues, allowedValues } = refused.body.error.details;
    deepEqual(
      { field, invalidValues, allowedValues: (allowedValues as string[]).length },
      { field: 'event', invalidValues: ['storage.error'], allowedValues: 9 },
    );
    equal((await tryOut(id, { event: 'schedule.created' })).body.data.success, true);
    equal((await tryOut(id)).body.data.event, 'backup.completed');
    deepEqual(
      heardAt(path).map(({ headers }) => headers['x-webhook-event']),
      ['schedule.created', 'backup.completed'],
    );
  });

  test('stores a failed test as a delivery that can be retried', async () => {
    const { id, path } = await newWebhook({}, { status: 503 }, { status: 200 });
    const { deliveryId } = (await tryOut(id)).body.data;
    equal((await retry(id, deliveryId)).status, 202);
    await untilDelivery(id, 'delivered', 2);
    const ids = heardAt(path).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
    deepEqual([ids.length, new Set(ids).size], [2, 1]);
  });
});

describe('a failed delivery', () => {
  test('shows its request and is resent once, also on a double click', async () => {
    const { id, path } = await newWebhook({ headers: { Authorization: credential, 'X-Stage': 'blue' } }, { status: 500 });
    await happen();
    const failed = await untilDelivery(id, 'failed', 1);
    deepEqual(
      { statusCode: failed.statusCode, lastError: failed.lastError, nextAttemptAt: failed.nextAttemptAt },
      { statusCode: 500, lastError: 'HTTP 500', nextAttemptAt: null },
    );

    const shown = await call(webhooks.request, { ...by, params: { webhookId: id, deliveryId: failed.id } });
    const { method, url, headers, body } = shown.body.data;
    const [heard] = heardAt(path);
    equal(heard!.headers.authorization, credential);
    deepEqual({ method, url, body }, { method: 'POST', url: receiver.url(path), body: heard!.body.toString() });
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    deepEqual(
      { authorization: named.authorization, stage: named['x-stage'], deliveryId: named['x-service-delivery-id'] },
      { authorization: '********', stage: 'blue', deliveryId: failed.id },
    );
    const signature = createHmac('sha256', secret).update(`${named['x-service-timestamp']}.${body}`).digest('hex');
    equal(heard!.headers['x-service-signature'], `sha256=${signature}`);
    for (const hidden of [signature, secret, 'canary-of-a-customer']) ok(!shown.text.includes(hidden));

    receiver.answer(path, { status: 204 });
    const clicks = await Promise.all([retry(id, failed.id), retry(id, failed.id), retry(id, failed.id)]);
    // One is accepted while it is under way; another one only once that has been delivered.
    const begun = clicks.filter(({ status }) => status === 202);
    deepEqual(
      clicks.filter(({ status }) => status !== 202).map(({ status }) => status),
      Array(3 - begun.length).fill(409),
    );
    deepEqual(begun[0]?.body.data, { deliveryId: failed.id, status: 'attempting' });
    const attempts = 1 + begun.length;
    const delivered = await untilDelivery(id, 'delivered', attempts);
    deepEqual(
      { id: delivered.id, statusCode: delivered.statusCode, lastError: delivered.lastError },
      { id: failed.id, statusCode: 204, lastError: undefined },
    );
    equal(heardAt(path).length, attempts);
    // A delivered delivery can be sent again, too.
    equal((await retry(id, failed.id)).status, 202);
    await untilDelivery(id, 'delivered', attempts + 1);
    const ids = heardAt(path).map(({ headers: sent }) => sent['x-service-delivery-id']);
    deepEqual(ids, Array(attempts + 1).fill(failed.id));
    equal((await entries('webhook.delivery_retried', id)).length, attempts);
  });

  test('is replayed with the other events of its time range, including those missed while disabled', async () => {
    const { id, path } = await newWebhook({}, { status: 500 });
    const from = new Date().toISOString();
    await happen();
    const failed = await untilDelivery(id, 'failed', 1);
    const params = { webhookId: id };
    await call(webhooks.toggle, { ...by, params, body: { enabled: false } });
    const replay = (body: object) =>
      call(webhooks.replay, { ...by, params, body: { from, to: new Date(Date.now() + 60_000).toISOString(), ...body } });
    const disabled = await replay({});
    deepEqual([disabled.status, disabled.body.error.code], [409, 'CONFLICT']);
    // Subscribers are matched when the stream delivers the event: the delivery to another webhook shows that it was matched.
    const witness = await newWebhook();
    await happen();
    await untilDelivery(witness.id, 'delivered', 1);
    receiver.answer(path, { status: 200 });
    await call(webhooks.toggle, { ...by, params, body: { enabled: true } });

    const begun = await replay({});
    const { to, ...rest } = begun.body.data;
    deepEqual([begun.status, rest], [202, { webhookId: id, from, events: ['invitation.created'], status: 'failed' }]);
    ok(to <= new Date().toISOString());
    equal((await untilDelivery(id, 'delivered', 2)).id, failed.id);
    equal(heardAt(path).length, 2);

    // A replay ends after its last delivery has begun, and only one runs at a time.
    const lock = webhookKey.replay(unsafeTenant(organization.id, 'record'), id);
    await until(async () => (await getItem(lock))?.isEnded);
    equal((await replay({ status: 'missing', events: ['invitation.*'] })).status, 202);
    const missed = await untilDelivery(id, 'delivered', 1);
    notEqual(missed.eventId, failed.eventId);
    equal(heardAt(path).length, 3);
    const refused = await replay({ from: '2031-01-01', to: '2030-01-01' });
    deepEqual([refused.body.error.code, refused.body.error.details.field], ['VALIDATION_ERROR', 'from']);
  });

  test('is listed newest first, by page and by status', async () => {
    const { id } = await newWebhook({}, { status: 500 }, { status: 200 });
    for (const tries of [1, 2, 3]) equal((await tryOut(id)).status, 200, `try ${tries}`);
    const { deliveries: all, pagination } = await list(id);
    deepEqual(
      [all.map(({ status }) => status), pagination],
      [['delivered', 'delivered', 'failed'], { nextCursor: null, hasMore: false }],
    );
    const first = await list(id, { limit: '2' });
    deepEqual(first.deliveries, all.slice(0, 2));
    const second = await list(id, { limit: '2', cursor: first.pagination.nextCursor ?? '' });
    deepEqual([second.deliveries, second.pagination.hasMore], [all.slice(2), false]);
    deepEqual((await list(id, { status: 'failed' })).deliveries, all.slice(2));
    const odd = await call(webhooks.deliveries, { ...by, params: { webhookId: id }, query: { status: 'gone' } });
    deepEqual([odd.status, odd.body.error.details.field], [400, 'status']);
  });
});

test('webhook: a 410 response disables it and notifies the owner; enabling it resets its history', async () => {
  const { id, path } = await newWebhook({ retryEnabled: true }, { status: 410 });
  const params = { webhookId: id };
  await happen();
  const failed = await untilDelivery(id, 'failed', 1);
  equal(failed.lastError, 'HTTP 410');
  await until(async () => ((await call(webhooks.get, { ...by, params })).body.data.enabled ? undefined : true));
  equal((await call(webhooks.get, { ...by, params })).body.data.disabledReason, 'gone');
  const [entry] = await entries('webhook.disabled', id);
  deepEqual([entry!.actor.type, entry!.details.reason], ['system', 'gone']);
  // Others that fail are reported, too.
  const mail = await until(async () =>
    (await mailsTo(organization.owner.email)).find(({ subject }) => subject.includes('Webhook disabled')),
  );
  match(mail!.subject, /Webhook disabled/);
  ok(mail!.text.includes(`Hook ${made}`) && mail!.text.includes(`localhost:${receiver.port}`));
  ok(!`${mail!.text}${mail!.html}`.includes(path), 'the path of an address may be a secret');

  const refused = await retry(id, failed.id);
  deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
  equal((await tryOut(id)).body.data.error, 'HTTP 410');
  receiver.answer(path, { status: 200 });
  await call(webhooks.toggle, { ...by, params, body: { enabled: true } });
  deepEqual((await call(webhooks.get, { ...by, params })).body.data.disabledReason, null);
  equal((await retry(id, failed.id)).status, 202);
  equal((await untilDelivery(id, 'delivered', 2)).id, failed.id);
});

test('webhook: webhooks and deliveries of others answer like ones that do not exist', async () => {
  const [mine, other] = [await newWebhook(), await newWebhook()];
  const { deliveryId } = (await tryOut(other.id)).body.data;
  const stranger = await newOrganization();
  const as = { token: stranger.owner.accessToken, org: stranger.id };
  const range = { from: '2026-01-01', to: '2026-01-02' };
  const ask = async (webhookId: string, id: string, who = by) => {
    const params = { webhookId, deliveryId: id };
    const answers = [
      await call(webhooks.request, { ...who, params }),
      await call(webhooks.retry, { ...who, params }),
      await call(webhooks.deliveries, { ...who, params }),
      await call(webhooks.test, { ...who, params }),
      await call(webhooks.replay, { ...who, params, body: range }),
    ];
    return answers.map(({ status, body }) => `${status} ${body.error?.code} ${body.error?.message}`);
  };
  deepEqual(await ask(other.id, deliveryId, as), await ask(newId('webhook'), deliveryId, as));
  ok((await ask(other.id, deliveryId, as)).every((answer) => answer.startsWith('404 WEBHOOK_NOT_FOUND')));
  const [foreign, foreignRetry] = await ask(mine.id, deliveryId);
  const [unknown, unknownRetry] = await ask(mine.id, newId('delivery'));
  deepEqual([foreign, foreignRetry], [unknown, unknownRetry]);
  ok(foreign?.startsWith('404 DELIVERY_NOT_FOUND'));
});

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, 'localhost');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
};

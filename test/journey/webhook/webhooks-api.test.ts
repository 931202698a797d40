/** The webhooks API: create, update and delete. Secrets are stored encrypted and never returned. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeAll, test } from 'vitest';
import { webhooks as rows } from '../../../shared/contract/endpoints/webhooks.ts';
import { webhooksPerOrganizationMax } from '../../../shared/contract/limits.ts';
import { newId } from '../../../shared/platform/index.ts';
import { allowedEvents } from '../../../shared/webhook/model/subscription.ts';
import { newProject } from '../../harness/stage/backup.ts';
import { call, type Result } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { allItems, getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

/** An address without a server; this file sends no deliveries. */
const url = 'https://localhost:9/hooks/backups?room=1';
const mask = '********';
/** Must not appear in any response, audit entry, log line or table item. */
const canary = randomUUID();
const given = { secret: `secret ${canary}`, headers: { Authorization: `Bearer ${canary}`, 'X-Environment': 'production' } };
/** Generated secrets, which are returned once. */
const shownOnce: string[] = [];

let organization: TestOrganization;
let by: { readonly token: string; readonly org: string };
beforeAll(async () => {
  organization = await newOrganization();
  by = { token: organization.owner.accessToken, org: organization.id };
});

const create = (body: object = {}, more: object = {}) =>
  call(rows.create, { ...by, ...more, body: { name: 'Hook', url, events: ['backup.*'], ...body } });
const made = async (body: object = {}) => {
  const { status, text, body: answer } = await create(body);
  equal(status, 201, text);
  return answer.data;
};
const at = (webhookId: string) => ({ ...by, params: { webhookId } });
const get = async (id: string) => (await call(rows.get, at(id))).body.data;
const patch = (id: string, body: object) => call(rows.update, { ...at(id), body });
const put = (id: string, body: object) => call(rows.replace, { ...at(id), body });
const toggle = (id: string, enabled: boolean) => call(rows.toggle, { ...at(id), body: { enabled } });
const itemOf = (id: string) => getItem({ pk: `ORG#${by.org}`, sk: `WEBHOOK#${id}` });
const healthOf = (id: string) => ({ pk: `DELIVERY#${by.org}#${id}`, sk: 'HEALTH' });
const auditOf = async (id: string) =>
  (await itemsOf(`AUDIT#${by.org}`))
    .filter(({ resource }) => (resource as { id: string }).id === id)
    .map(({ action, details }) => ({ action, details: details as Record<string, unknown> }));
const refused = (result: Result<unknown>, field: string, reason?: string) => {
  deepEqual([result.status, result.body.error?.code], [400, 'VALIDATION_ERROR'], result.text);
  equal(result.body.error.details.field, field, result.text);
  if (reason !== undefined) equal(result.body.error.details.reason, reason);
};
const isMissing = (result: Result<unknown>) =>
  deepEqual(
    { status: result.status, code: result.body.error?.code, message: result.body.error?.message },
    { status: 404, code: 'WEBHOOK_NOT_FOUND', message: 'Webhook not found' },
  );

test('webhook: required fields alone give the documented defaults and a secret that is returned once', async () => {
  const webhook = await made();
  match(webhook.id, /^whk_[0-9A-Z]{26}$/);
  match(String(webhook.secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
  shownOnce.push(String(webhook.secret));
  const { id, createdAt, secret: _secret, ...rest } = webhook;
  deepEqual(rest, {
    ...{ name: 'Hook', url, events: ['backup.*'], enabled: true, format: 'standard', headers: {}, timeout: 30_000 },
    ...{ retryEnabled: true, filters: { projects: [], trigger: [], excludeTrigger: [] }, disabledReason: null },
    ...{ lastTriggeredAt: null, failingSince: null, failureCount: 0, updatedAt: createdAt, previousSecretExpiresAt: null },
  });
  deepEqual(await get(id), { ...webhook, secret: mask });
  const { secret: _, previousSecretExpiresAt: __, ...listed } = webhook;
  deepEqual((await call(rows.list, by)).body.data[0], listed);
});

test('webhook: a given secret is never returned; one with the simple format may have none', async () => {
  equal((await made(given)).secret, mask);
  const simple = await made({ format: 'simple' });
  equal(simple.secret, null);
  equal((await get(simple.id)).secret, null);
  equal((await made({ format: 'simple', secret: null })).secret, null);
  equal((await patch(simple.id, { secret: given.secret })).body.data.secret, mask);
  equal((await patch(simple.id, { secret: null })).body.data.secret, null);
  refused(await patch(simple.id, { format: 'standard' }), 'secret');
  equal((await put(simple.id, { format: 'standard', secret: given.secret })).body.data.format, 'standard');
  refused(await patch(simple.id, { secret: null }), 'secret');
});

test('webhook: headers that look like credentials are masked; a masked value sent back is refused', async () => {
  const { id, headers } = await made(given);
  deepEqual(headers, { Authorization: mask, 'X-Environment': 'production' });
  const stored = await itemOf(id);
  refused(await patch(id, { headers }), 'headers.Authorization');
  refused(await put(id, { secret: mask }), 'secret');
  refused(await patch(id, { secret: (await get(id)).secret }), 'secret');
  refused(await patch(id, { headers: { Host: 'x' } }), 'headers.Host');
  for (const name of ['constructor', '__proto__']) refused(await patch(id, { headers: { [name]: 'x' } }), `headers.${name}`);
  deepEqual(await itemOf(id), stored);
  deepEqual((await patch(id, { headers: {} })).body.data.headers, {});
  equal((await itemOf(id))?.sealedHeaders, undefined);
});

for (const [verb, change] of Object.entries({ PUT: put, PATCH: patch }))
  test(`webhook: ${verb} changes only the given fields and returns the whole webhook`, async () => {
    const before = await made({ ...given, filters: { trigger: ['scheduled'], excludeTrigger: ['safety'] } });
    const stored = await itemOf(before.id);
    const empty = await change(before.id, {});
    deepEqual([empty.status, empty.body.data], [200, before], empty.text);
    deepEqual(await itemOf(before.id), stored);
    equal((await auditOf(before.id)).length, 1);

    const settings = [
      { name: 'Renamed' },
      { events: ['*', 'backup.failed', '*'] },
      { timeout: 60_000 },
      { retryEnabled: false },
      { enabled: false },
      { filters: { excludeTrigger: ['manual'] } },
      { filters: {} },
      { filters: { trigger: [] } },
      { filters: { trigger: ['scheduled'] } },
      { url: `${url}&other` },
      { events: ['backup.started'], format: 'simple' },
    ];
    let expected: Record<string, unknown> = before;
    for (const body of settings) {
      const { status, body: answer, text } = await change(before.id, body);
      equal(status, 200, text);
      const previous = expected;
      expected = { ...previous, ...body, updatedAt: answer.data.updatedAt };
      if ('events' in body) expected.events = [...new Set(body.events)];
      if ('filters' in body) expected.filters = { ...(previous.filters as object), ...body.filters };
      deepEqual(answer.data, expected);
      ok(answer.data.updatedAt >= before.updatedAt);
    }
    deepEqual(await get(before.id), expected);
    deepEqual((await itemOf(before.id))?.sealedSecret, stored?.sealedSecret);
  });

test("webhook: events must belong to the webhook's format", async () => {
  const { id } = await made({ events: ['storage.error', 'backup.*'] });
  const refusal = await patch(id, { format: 'simple' });
  refused(refusal, 'events');
  deepEqual(refusal.body.error.details.invalidValues, ['storage.error']);
  equal((refusal.body.error.details.allowedValues as string[]).length, 9);
  equal((await patch(id, { format: 'simple', events: ['*'] })).status, 200);
  refused(await patch(id, { events: ['backup.progress'] }), 'events');
  const empty = await create({ events: [] });
  refused(empty, 'events');
  deepEqual(empty.body.error.details.allowedValues, allowedEvents('standard'));
});

test('webhook: the URL is checked whenever one is given', async () => {
  const { id } = await made();
  for (const send of [(body: object) => create(body), (body: object) => put(id, body), (body: object) => patch(id, body)]) {
    refused(await send({ url: 'http://localhost:9/' }), 'url', 'must be a valid HTTPS URL');
    refused(await send({ url: 'https://169.254.169.254/' }), 'url', 'must be a public address');
    refused(await send({ url: 'https://127.0.0.1/' }), 'url', 'must be a public address');
    refused(await send({ url: 'https://user:password@localhost:9/' }), 'url');
  }
  equal((await get(id)).url, url);
});

test('webhook: filters must name projects of the organization', async () => {
  const [own, wrong] = [await newProject(organization), newId('project')];
  const { id } = await made({ filters: { projects: [own.id, own.id], trigger: ['manual'] } });
  deepEqual((await get(id)).filters, { projects: [own.id], trigger: ['manual'], excludeTrigger: [] });
  const refusal = await patch(id, { filters: { projects: [own.id, wrong] } });
  refused(refusal, 'filters.projects', 'must be ids of projects of this organization');
  deepEqual(refusal.body.error.details.invalidValues, [wrong]);
});

test('webhook: a toggle returns the new state; one without effect leaves no event or audit entry', async () => {
  const { id, updatedAt } = await made();
  const off = await toggle(id, false);
  equal(off.status, 200, off.text);
  deepEqual(Object.keys(off.body.data).sort(), ['enabled', 'id', 'updatedAt']);
  deepEqual([off.body.data.id, off.body.data.enabled], [id, false]);
  ok(off.body.data.updatedAt > updatedAt);
  deepEqual((await toggle(id, false)).body.data, off.body.data);
  equal((await get(id)).enabled, false);
  equal((await toggle(id, true)).body.data.enabled, true);
  deepEqual(
    (await auditOf(id)).map(({ action, details }) => [action, details.enabled]),
    [
      ['webhook.created', true],
      ['webhook.toggled', false],
      ['webhook.toggled', true],
    ],
  );
  refused(await call(rows.toggle, { ...at(id), body: {} }), 'enabled');
  refused(await call(rows.toggle, { ...at(id), body: { enabled: 'false' } }), 'enabled');
});

test('webhook: enabling one that the service disabled resets its failure history', async () => {
  const lastTriggeredAt = '2026-01-05T00:00:00.000Z';
  for (const enable of [(id: string) => toggle(id, true), (id: string) => patch(id, { enabled: true })]) {
    const { id } = await made();
    const stored = await itemOf(id);
    const disabled = { reason: 'failing', at: '2026-01-06T00:00:00.000Z', failingSince: '2026-01-01T00:00:00.000Z' };
    await putItem({ ...stored!, enabled: false, disabled });
    await putItem({ ...healthOf(id), lastTriggeredAt, failingSince: disabled.failingSince, isSlow: true, ttl: 4e9 });
    const { enabled, disabledReason } = await get(id);
    deepEqual([enabled, disabledReason], [false, 'failing']);
    // Only enabling it clears the reason.
    equal((await patch(id, { name: 'Renamed', enabled: false })).body.data.disabledReason, 'failing');
    equal((await enable(id)).status, 200);
    const after = await get(id);
    deepEqual(
      { enabled: after.enabled, disabledReason: after.disabledReason, lastTriggeredAt: after.lastTriggeredAt },
      { enabled: true, disabledReason: null, lastTriggeredAt },
    );
    deepEqual(await getItem(healthOf(id)), { ...healthOf(id), lastTriggeredAt, ttl: 4e9 });
    equal((await call(rows.list, by)).body.data.find((webhook) => webhook.id === id)?.lastTriggeredAt, lastTriggeredAt);
  }
});

test('webhook: a rotation returns the new secret once and keeps the old one valid for the requested hours', async () => {
  const { id, secret: first } = await made();
  const rotate = async (body?: object) => {
    const { status, body: answer, text } = await call(rows.rotateSecret, { ...at(id), ...(body && { body }) });
    equal(status, 200, text);
    match(String(answer.data.secret), /^whsec_/);
    shownOnce.push(String(answer.data.secret));
    return answer.data;
  };
  const rotated = await rotate();
  notEqual(rotated.secret, first);
  const hours = (Date.parse(String(rotated.previousSecretExpiresAt)) - Date.parse(rotated.updatedAt)) / 3_600_000;
  equal(hours, 24);
  deepEqual(await get(id), { ...rotated, secret: mask });
  const current = (await itemOf(id))?.sealedSecret;
  await rotate({ overlapHours: 168 });
  deepEqual((await itemOf(id))?.previous, {
    sealedSecret: current,
    until: (await get(id)).previousSecretExpiresAt,
  });
  equal((await rotate({ overlapHours: 0 })).previousSecretExpiresAt, null);
  equal((await itemOf(id))?.previous, undefined);
  await rotate();
  equal((await patch(id, { secret: given.secret })).body.data.previousSecretExpiresAt, null);
  for (const overlapHours of [-1, 169, 1.5, '24', null])
    refused(await call(rows.rotateSecret, { ...at(id), body: { overlapHours } }), 'overlapHours');
});

test('webhook: deleting it deletes its deliveries and health', async () => {
  const { id } = await made();
  await putItem({ ...healthOf(id), lastTriggeredAt: '2026-01-01T00:00:00.000Z', ttl: 4e9 });
  const removed = await call(rows.remove, at(id));
  deepEqual([removed.status, removed.body], [200, { success: true, message: 'The webhook was deleted' }], removed.text);
  deepEqual([await itemOf(id), await getItem(healthOf(id))], [undefined, undefined]);
  for (const result of [await call(rows.remove, at(id)), await call(rows.get, at(id)), await patch(id, { name: 'X' })])
    isMissing(result);
  ok(!(await call(rows.list, by)).body.data.some((webhook) => webhook.id === id));
});

test('webhook: concurrent updates either succeed or report a conflict', async () => {
  const { id } = await made();
  const changes = [{ name: 'Renamed' }, { timeout: 5_000 }, { events: ['restore.*'] }, { headers: { 'X-A': 'b' } }];
  const answers = await Promise.all(changes.map(async (body) => ({ body, status: (await patch(id, body)).status })));
  const after: Record<string, unknown> = await get(id);
  for (const { body, status } of answers)
    if (status === 200) for (const [field, value] of Object.entries(body)) deepEqual(after[field], value);
    else equal(status, 409);
  equal((await itemOf(id))?.revision, 1 + answers.filter(({ status }) => status === 200).length);
});

test('webhook: an organization has a maximum number of webhooks', async () => {
  const full = await newOrganization();
  const theirs = { token: full.owner.accessToken, org: full.id };
  const add = () => create({}, theirs);
  const first = await add();
  const key = { pk: `ORG#${full.id}`, sk: 'META' };
  equal((await getItem(key))?.webhookCount, 1);
  await putItem({ ...(await getItem(key))!, webhookCount: webhooksPerOrganizationMax - 1 });
  const statuses = (await Promise.all([add(), add()])).map(({ status }) => status);
  deepEqual(statuses.sort(), [201, 409]);
  equal((await add()).body.error.code, 'CONFLICT');
  equal((await call(rows.remove, { ...theirs, params: { webhookId: first.body.data.id } })).status, 200);
  equal((await add()).status, 201);
  equal((await call(rows.list, { ...theirs, query: { limit: '1' } })).body.pagination.hasMore, true);
});

test('list: newest first, page by page', async () => {
  const own = await newOrganization();
  const theirs = { token: own.owner.accessToken, org: own.id };
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.unshift((await create({}, theirs)).body.data.id);
  const first = await call(rows.list, { ...theirs, query: { limit: '2' } });
  const cursor = first.body.pagination.nextCursor!;
  const second = await call(rows.list, { ...theirs, query: { limit: '2', cursor } });
  deepEqual(
    [...first.body.data, ...second.body.data].map(({ id }) => id),
    ids,
  );
  deepEqual(second.body.pagination, { nextCursor: null, hasMore: false });
});

test('webhook: the audit log names the changed fields and never a secret value', async () => {
  const { id } = await made({ ...given, url: `${url}&token=${canary}` });
  await patch(id, { secret: `other ${canary}`, headers: { 'X-Api-Key': canary }, url: `https://localhost:10/${canary}` });
  deepEqual(await auditOf(id), [
    {
      action: 'webhook.created',
      details: {
        ...{ name: 'Hook', host: 'localhost:9', events: ['backup.*'], format: 'standard', enabled: true },
        headers: ['Authorization', 'X-Environment'],
      },
    },
    {
      action: 'webhook.updated',
      details: { name: 'Hook', changed: ['url', 'secret', 'headers'], host: 'localhost:10', headers: ['X-Api-Key'] },
    },
  ]);
  await patch(id, { url });
});

test('webhook: no secret or credential is unencrypted in the table or in logs', async () => {
  ok(shownOnce.length >= 5);
  const secrets = [canary, ...shownOnce.map((secret) => secret.slice('whsec_'.length, -1))];
  const stored = (await allItems()).map((item) => JSON.stringify(item, (_, value) => readable(value))).join('\n');
  const printed = logs();
  for (const secret of secrets) {
    ok(!stored.includes(secret), `${secret} is in the table`);
    ok(!printed.includes(secret), `${secret} is in a log`);
  }
});

/** Bytes as text, to search them for unencrypted secrets. */
const readable = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value);

/** Tokens in the URL of a webhook: shown to callers who may change webhooks, stored encrypted, and never part of the history. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { webhooks as rows } from '../../../shared/contract/endpoints/webhooks.ts';
import type { Item } from '../../../shared/platform/index.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { addMember, newOrganization, newServiceAccountKey } from '../../harness/stage/organization.ts';
import { type Receiver, startReceiver } from '../../harness/stage/receiver.ts';
import { allItems, getItem, putItem } from '../../harness/stage/table.ts';

/** Must not be unencrypted anywhere. */
const token = randomUUID();
const mask = '********';
let receiver: Receiver;
let owner: Caller;
let viewer: Caller;

interface Caller {
  readonly token: string;
  readonly org: string;
}

beforeAll(async () => {
  receiver = await startReceiver();
  const organization = await newOrganization();
  const org = organization.id;
  owner = { token: organization.owner.accessToken, org };
  viewer = { token: (await addMember(organization, 'viewer')).accessToken, org };
  readKey = { token: await newServiceAccountKey(organization, ['organization:read']), org };
});
afterAll(() => receiver.stop());
let readKey: Caller;

const pathOf = (part: string): string => `/${part}/${token}?key=${token}`;
const shownOf = (part: string): string => receiver.url(`/${part}/${mask}?key=${mask}`);
const made = async (part: string, headers: Record<string, string> = {}): Promise<string> => {
  const body = { name: 'Hook', url: receiver.url(pathOf(part)), events: ['organization.updated'] };
  const answer = await call(rows.create, { ...owner, headers, body });
  deepEqual([answer.status, answer.body.data.url], [201, body.url], answer.text);
  return answer.body.data.id;
};
const keyOf = (id: string) => ({ pk: `ORG#${owner.org}`, sk: `WEBHOOK#${id}` });
const urlFor = async (caller: Caller, webhookId: string): Promise<string> => {
  const one = (await call(rows.get, { ...caller, params: { webhookId } })).body.data.url;
  const listed = (await call(rows.list, caller)).body.data.find(({ id }) => id === webhookId)?.url;
  equal(listed, one);
  return one;
};
/** As records were before URLs were sealed. */
const storedPlain = async (part: string): Promise<string> => {
  const id = await made(part);
  const { sealedUrl: _, ...item } = (await getItem(keyOf(id))) as Item;
  await putItem({ ...item, url: receiver.url(pathOf(part)) } as Item);
  return id;
};
const isSealed = async (id: string, part: string): Promise<void> => {
  const { url, sealedUrl } = (await getItem(keyOf(id))) as Item;
  deepEqual([url, sealedUrl instanceof Uint8Array], [shownOf(part), true]);
};

test('url: callers who may change webhooks see it whole, others without tokens', async () => {
  const id = await made('roles');
  equal(await urlFor(owner, id), receiver.url(pathOf('roles')));
  equal(await urlFor(viewer, id), shownOf('roles'));
  equal(await urlFor(readKey, id), shownOf('roles'));
  await isSealed(id, 'roles');
});

test('url: deliveries, tests and retries reach the whole one; their requests are kept without tokens', async () => {
  const webhookId = await made('sent', { 'idempotency-key': randomUUID() });
  const tested = await call(rows.test, { ...owner, params: { webhookId } });
  deepEqual([tested.body.data.success, tested.body.data.url], [true, receiver.url(pathOf('sent'))], tested.text);
  equal((await call(organizations.update, { ...owner, body: { name: 'Changed' } })).status, 200);
  const ended = async () => {
    const { deliveries } = (await call(rows.deliveries, { ...viewer, params: { webhookId } })).body.data;
    return deliveries.filter(({ status }) => status === 'delivered');
  };
  while ((await ended()).length < 2) await pause(250);
  const deliveryId = (await ended()).find(({ test: isTest }) => !isTest)?.id ?? '';
  const params = { webhookId, deliveryId };
  equal((await call(rows.retry, { ...owner, params })).status, 202);
  while (!(await ended()).some(({ attempts }) => attempts === 2)) await pause(250);
  equal(receiver.requests.filter(({ path }) => path === pathOf('sent')).length, 3);
  // An endpoint that works is served by the fast queue, whose worker has a role of its own.
  equal((await call(organizations.update, { ...owner, body: { name: 'Changed again' } })).status, 200);
  while ((await ended()).length < 3) await pause(250);
  for (const caller of [owner, viewer]) equal((await call(rows.request, { ...caller, params })).body.data.url, shownOf('sent'));
});

test('url: the masked one sent back is refused and changes nothing', async () => {
  const id = await made('back');
  const url = await urlFor(viewer, id);
  for (const row of [rows.update, rows.replace]) {
    const { status, body, text } = await call(row, { ...owner, params: { webhookId: id }, body: { name: 'Renamed', url } });
    deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], text);
    const { field, reason } = body.error?.details ?? {};
    deepEqual([field, reason], ['url', 'is the masked value; send the actual URL']);
  }
  const { body } = await call(rows.get, { ...owner, params: { webhookId: id } });
  deepEqual([body.data.name, body.data.url], ['Hook', receiver.url(pathOf('back'))]);
});

test('url: a record of before they were sealed is masked, works, and is sealed by its next change', async () => {
  const params = { webhookId: await storedPlain('old') };
  equal(await urlFor(viewer, params.webhookId), shownOf('old'));
  equal(await urlFor(owner, params.webhookId), receiver.url(pathOf('old')));
  equal((await call(rows.test, { ...owner, params })).body.data.success, true);
  equal((await call(rows.toggle, { ...owner, params, body: { enabled: false } })).status, 200);
  await isSealed(params.webhookId, 'old');
  equal(await urlFor(owner, params.webhookId), receiver.url(pathOf('old')));

  const rotated = await storedPlain('rotated');
  const answer = await call(rows.rotateSecret, { ...owner, params: { webhookId: rotated } });
  equal(answer.body.data.url, receiver.url(pathOf('rotated')));
  await isSealed(rotated, 'rotated');

  const renamed = await storedPlain('renamed');
  const patched = await call(rows.update, { ...owner, params: { webhookId: renamed }, body: { name: 'Other' } });
  equal(patched.body.data.url, receiver.url(pathOf('renamed')));
  await isSealed(renamed, 'renamed');
});

test('url: one without tokens replaces the sealed one', async () => {
  const webhookId = await made('moved');
  const url = receiver.url('/plain');
  const renamed = await call(rows.replace, { ...owner, params: { webhookId }, body: { name: 'Renamed' } });
  equal(renamed.body.data.url, receiver.url(pathOf('moved')));
  const again = await call(rows.replace, { ...owner, params: { webhookId }, body: { url: receiver.url(pathOf('again')) } });
  equal(again.body.data.url, receiver.url(pathOf('again')));
  await isSealed(webhookId, 'again');
  const { body } = await call(rows.update, { ...owner, params: { webhookId }, body: { url } });
  equal(body.data.url, url);
  const item = (await getItem(keyOf(webhookId))) as Item;
  deepEqual([item.url, 'sealedUrl' in item], [url, false]);
  equal(await urlFor(viewer, webhookId), url);
});

test('url: no token is unencrypted in the table, queues, logs or the audit log', async () => {
  const readable = (_: string, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value);
  for (const item of await allItems()) ok(!JSON.stringify(item, readable).includes(token), `${item.pk} ${item.sk}`);
  for (const folder of ['queues', 'scheduler'].map((name) => join(stageVariable('STAGE_DIR'), name)))
    for (const file of readdirSync(folder)) ok(!readFileSync(join(folder, file), 'latin1').includes(token), file);
  ok(!logs().includes(token));
  const { text } = await call(auditLogs.list, { ...owner, query: { limit: '100' } });
  ok(text.includes('webhook.created') && !text.includes(token));
});

/** Secrets are never in plain text: not in the table, in logs, or in responses that are not meant to return them. */
import { equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, test } from 'vitest';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { apiKeys } from '../../shared/contract/endpoints/api-keys.ts';
import { auditLogs } from '../../shared/contract/endpoints/audit-logs.ts';
import { auth } from '../../shared/contract/endpoints/auth.ts';
import { device } from '../../shared/contract/endpoints/device.ts';
import { invites } from '../../shared/contract/endpoints/invitations.ts';
import { organizations } from '../../shared/contract/endpoints/organizations.ts';
import { serviceAccount } from '../../shared/contract/endpoints/service-account.ts';
import { webhooks } from '../../shared/contract/endpoints/webhooks.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { Browser, consoleHeaders, locationOf } from '../harness/stage/browser.ts';
import { call, stageVariable } from '../harness/stage/client.ts';
import { addMember, newOrganization, type TestOrganization } from '../harness/stage/organization.ts';
import { newEmail } from '../harness/stage/person.ts';
import { startReceiver } from '../harness/stage/receiver.ts';
import { allItems } from '../harness/stage/table.ts';

/** All secrets by name. */
const secrets: { readonly name: string; readonly text: string }[] = [];
const keep = (name: string, text: string | undefined, charactersMin = 16): string => {
  ok(text && text.length >= charactersMin, `no ${name}`);
  secrets.push({ name, text });
  return text;
};
let organization: TestOrganization;

beforeAll(async () => {
  organization = await newOrganization();
  const by = { token: organization.owner.accessToken, org: organization.id };
  keep('access token', organization.owner.accessToken.split('.')[2]);
  keep('refresh token', organization.owner.refreshToken.split('.').at(-1));
  const rotated = await call(auth.refresh, { body: { refreshToken: organization.owner.refreshToken } });
  keep('rotated refresh token', rotated.body.data.refreshToken!.split('.').at(-1));
  keep('rotated access token', rotated.body.data.accessToken.split('.')[2]);

  // With an Idempotency-Key the whole response is stored.
  const key = { headers: { 'idempotency-key': 'once' } };
  const account = await call(serviceAccount.create, {
    ...by,
    ...key,
    body: { name: 'Test', permissions: ['organization:read'] },
  });
  keep('API key', account.body.data.apiKey.slice(-43));
  await call(serviceAccount.get, { token: account.body.data.apiKey, org: organization.id });

  const named = await call(apiKeys.create, { ...by, ...key, body: { name: 'Test', permissions: ['organization:read'] } });
  keep('named API key', named.body.data.apiKey.slice(-43));
  const params = { apiKeyId: named.body.data.id };
  const renewed = await call(apiKeys.rotate, { ...by, ...key, params, body: {} });
  keep('rotated API key', renewed.body.data.apiKey.slice(-43));
  await call(apiKeys.get, { ...by, params });

  const invited = await call(invites.create, { ...by, ...key, body: { email: newEmail() } });
  keep('invitation link', invited.body.data.acceptUrl.split('.').at(-1));
  await addMember(organization, 'viewer');

  const browser = new Browser();
  const back = await browser.visitProvider({ redirect_uri: 'http://localhost:9/callback', login_hint: newEmail() });
  keep("the provider's code", new URL(back).searchParams.get('code') ?? undefined);
  keep('state', new URL(back).searchParams.get('state') ?? undefined);
  const code = keep('one-time code', new URL(locationOf(await browser.go(back))).searchParams.get('code') ?? undefined);
  await call(auth.token, { body: { code, grant_type: 'authorization_code' } });
  await call(auth.token, { body: { code, grant_type: 'authorization_code' } });
  const session = new Browser();
  await session.signIn(newEmail());
  keep('session cookie', session.cookie('__Host-bms_access')?.split('.')[2]);
  const started = (await call(device.start, { body: { clientName: 'Secrets' } })).body.data;
  keep('device code', started.deviceCode);
  keep('user code', started.userCode, 9);
  await call(device.show, { token: organization.owner.accessToken, query: { userCode: started.userCode } });
  const approval = { userCode: started.userCode, decision: 'approve' };
  await call(device.decide, { headers: await consoleHeaders(organization.owner.email), body: approval });
  const signedIn = await call(device.token, { body: { deviceCode: started.deviceCode } });
  keep('refresh token of a device', signedIn.body.data.refreshToken.split('.').at(-1));
  await tellWebhooks(by);
  for (const [n, text] of deploymentSecrets().entries()) keep(`secret ${n} of the deployment`, text);
  ok(secrets.length >= 12);
});

let delivered: { readonly webhookId: string; readonly deliveryId: string };

/** A webhook with all kinds of secrets and a delivery, and one with a customer's own secret. */
const tellWebhooks = async (by: { readonly token: string; readonly org: string }): Promise<void> => {
  const receiver = await startReceiver();
  const events = ['organization.updated'];
  const headers = { Authorization: `Bearer ${keep('bearer token for a webhook', randomUUID())}`, 'X-Api-Key': randomUUID() };
  keep('API key for a webhook', headers['X-Api-Key']);
  const made = await call(webhooks.create, { ...by, body: { name: 'Told', url: receiver.url('/delivered'), events, headers } });
  keep('webhook secret', made.body.data.secret ?? undefined);
  const secret = keep("customer's webhook secret", randomUUID());
  const own = await call(webhooks.create, { ...by, body: { name: 'Own', url: receiver.url('/own'), events, secret } });
  equal(own.status, 201, own.text);
  const params = { webhookId: made.body.data.id };
  const rotated = await call(webhooks.rotateSecret, { ...by, params, headers: { 'idempotency-key': 'rotate' } });
  keep('rotated webhook secret', rotated.body.data.secret ?? undefined);
  equal((await call(organizations.update, { ...by, body: { name: 'Changed' } })).status, 200);
  const heard = await receiver.next(({ path }) => path === '/delivered');
  equal(heard.headers['x-api-key'], headers['X-Api-Key']);
  await receiver.next(({ path }) => path === '/own');
  const deliveries = async () => (await call(webhooks.deliveries, { ...by, params })).body.data.deliveries;
  while ((await deliveries())[0]?.status !== 'delivered') await pause(250);
  delivered = { ...params, deliveryId: (await deliveries())[0]?.id ?? '' };
  await receiver.stop();
};

/** From the stage's files. */
const deploymentSecrets = (): string[] => {
  const folder = join(stageVariable('STAGE_DIR'), 'secrets');
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'));
  return lines.map((line) => (JSON.parse(line) as { value: { current: { value: string } } }).value.current.value);
};

const logs = (): { file: string; text: string }[] => {
  const folder = join(stageVariable('STAGE_DIR'), 'log');
  return readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
};

const found = (text: string): string[] => secrets.filter((secret) => text.includes(secret.text)).map(({ name }) => name);

test('secrets: the table contains none', async () => {
  const items = await allItems();
  ok(items.length > 20);
  for (const item of items) equal(found(JSON.stringify(item)).join(), '', item.pk.split('#')[0]);
});

test('secrets: no queue or schedule contains one', () => {
  for (const folder of ['queues', 'scheduler'].map((name) => join(stageVariable('STAGE_DIR'), name)))
    for (const file of readdirSync(folder)) equal(found(readFileSync(join(folder, file), 'latin1')).join(), '', file);
});

test('secrets: no function logs one', () => {
  ok(logs().length > 5);
  ok(
    logs().some(({ text }) => text.includes(organization.owner.userId) || text.includes('requestId')),
    'nothing was logged',
  );
  for (const { file, text } of logs()) equal(found(text).join(), '', file);
});

test('secrets: no read returns one, including the audit log and its export', async () => {
  const by = { token: organization.owner.accessToken, org: organization.id };
  for (const endpoint of endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
    const { text } = await call(endpoint, by);
    equal(found(text).join(), '', endpoint.id);
  }
  for (const endpoint of [webhooks.get, webhooks.deliveries, webhooks.request]) {
    const { status, text } = await call(endpoint as Endpoint, { ...by, params: delivered });
    equal(status, 200, text);
    equal(found(text).join(), '', endpoint.id);
  }
  const { text } = await call(auditLogs.download, { ...by, query: { format: 'json' } });
  ok(text.includes('service_account.created'));
  equal(found(text).join(), '');
});

test('secrets: logs contain no headers or bodies', () => {
  for (const { file, text } of logs()) ok(!/"authorization"|"cookie"|Bearer |"rawBody"|"headers"/i.test(text), file);
});

/** Service accounts: one per organization; the key is shown once and revoked at once. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { scopes } from '../../../shared/contract/access.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { serviceAccount } from '../../../shared/contract/endpoints/service-account.ts';
import { call } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { allItems, getItem, itemsOf } from '../../harness/stage/table.ts';

const start = async () => {
  const organization = await newOrganization();
  return { organization, org: organization.id, by: { token: organization.owner.accessToken, org: organization.id } };
};

test('service account: it is created, returned without its key, used and deleted', async () => {
  const { by, org } = await start();
  equal((await call(serviceAccount.get, by)).body.error.code, 'SERVICE_ACCOUNT_NOT_FOUND');
  const permissions = ['organization:read', 'backups:read', 'organization:read'];
  const made = await call(serviceAccount.create, { ...by, body: { name: 'CI', permissions } });
  equal(made.status, 201);
  const { apiKey, ...shown } = made.body.data;
  match(apiKey, /^fb_sa_sa_[0-9A-Z]{26}_[\w-]{43}$/);
  deepEqual([shown.name, shown.permissions], ['CI', ['organization:read', 'backups:read']]);

  const before = await call(serviceAccount.get, by);
  equal(before.body.data.lastUsedAt, null);
  match(before.body.data.email, /^sa_[0-9a-z]{26}@[\w.-]+$/);
  ok(!before.text.includes(apiKey) && !('apiKey' in before.body.data));

  const key = { token: apiKey, org };
  equal((await call(organizations.current, key)).status, 200);
  ok((await call(serviceAccount.get, by)).body.data.lastUsedAt);

  equal((await call(serviceAccount.remove, by)).status, 200);
  const dead = await call(organizations.current, key);
  deepEqual([dead.status, dead.body.error.code], [401, 'UNAUTHORIZED']);
  equal((await call(serviceAccount.remove, by)).body.error.code, 'SERVICE_ACCOUNT_NOT_FOUND');
  equal((await call(serviceAccount.get, by)).body.error.code, 'SERVICE_ACCOUNT_NOT_FOUND');
  const actions = (await itemsOf(`AUDIT#${org}`)).map(({ action }) => action);
  deepEqual(actions, ['organization.created', 'service_account.created', 'service_account.deleted']);
});

test('service account: the key is in no table item or log, not even in the stored idempotent response', async () => {
  const { by } = await start();
  const options = { ...by, body: { name: 'CI' }, headers: { 'idempotency-key': `key-${by.org}` } };
  const [one, two] = await Promise.all([call(serviceAccount.create, options), call(serviceAccount.create, options)]);
  const three = await call(serviceAccount.create, options);
  deepEqual({ first: one.status, second: two.status, third: three.status }, { first: 201, second: 201, third: 201 });
  const keys = new Set([one, two, three].map(({ body }) => body.data.apiKey));
  equal(keys.size, 1);
  const [key] = [...keys];
  const everything = JSON.stringify(await allItems()) + logs();
  ok(!everything.includes(key!) && !everything.includes(key!.slice(-43)));
});

test('service account: there is at most one, also with concurrent requests', async () => {
  const { by } = await start();
  const create = () => call(serviceAccount.create, { ...by, body: { name: 'CI' } });
  const results = await Promise.all([create(), create()]);
  deepEqual(results.map(({ status }) => status).sort(), [201, 409]);
  const third = await create();
  deepEqual([third.status, third.body.error.code], [409, 'SERVICE_ACCOUNT_EXISTS']);
});

test('service account: the key of the losing request never works', async () => {
  const { by, org } = await start();
  const make = () => call(serviceAccount.create, { ...by, body: { name: 'CI', permissions: ['organization:read'] } });
  const first = (await make()).body.data;
  await call(serviceAccount.remove, by);
  const second = (await make()).body.data;
  notEqual(first.apiKey, second.apiKey);
  equal((await call(organizations.current, { token: first.apiKey, org })).status, 401);
  equal((await call(organizations.current, { token: second.apiKey, org })).status, 200);
  equal(await getItem({ pk: `APIKEY#${first.id}`, sk: 'APIKEY' }), undefined);
});

for (const [what, body, field] of [
  ['no name', {}, 'name'],
  ['an unknown scope', { name: 'x', permissions: ['backups:read', 'all', '*'] }, 'permissions'],
  ['a scope that is no list', { name: 'x', permissions: 'backups:read' }, 'permissions'],
  ['an empty list', { name: 'x', permissions: [] }, 'permissions'],
  ['eleven scopes', { name: 'x', permissions: [...scopes, 'backups:read'] }, 'permissions'],
] as const) {
  test(`service account: ${what} is refused`, async () => {
    const { by } = await start();
    const { status, body: answer } = await call(serviceAccount.create, { ...by, body });
    deepEqual(
      { status, code: answer.error.code, field: answer.error.details.field },
      { status: 400, code: 'VALIDATION_ERROR', field },
    );
    if (what === 'an unknown scope') deepEqual(answer.error.details.invalidValues, ['all', '*']);
  });
}

test('service account: without permissions it gets the read scopes', async () => {
  const { by } = await start();
  const made = await call(serviceAccount.create, { ...by, body: { name: 'CI' } });
  deepEqual(
    [made.status, made.body.data.permissions],
    [201, ['backups:read', 'schedules:read', 'projects:read', 'storage:read', 'organization:read']],
  );
});

test('service account: changed permissions apply to the next call with the same key', async () => {
  const { by, org } = await start();
  const made = await call(serviceAccount.create, { ...by, body: { name: 'CI', permissions: ['backups:read'] } });
  const key = { token: made.body.data.apiKey, org };
  deepEqual((await call(organizations.current, key)).body.error.details, { requiredScope: 'organization:read' });
  const body = { name: 'Reports', permissions: ['organization:read'] };
  const updated = await call(serviceAccount.update, { ...by, body });
  deepEqual(
    { status: updated.status, name: updated.body.data.name, permissions: updated.body.data.permissions },
    { status: 200, name: 'Reports', permissions: ['organization:read'] },
  );
  equal((await call(organizations.current, key)).status, 200);
  for (const permissions of [[], ['all']]) {
    const refused = await call(serviceAccount.update, { ...by, body: { permissions } });
    deepEqual([refused.status, refused.body.error.details.field], [400, 'permissions']);
  }
  deepEqual((await call(serviceAccount.update, { ...key, body })).body.error.code, 'FORBIDDEN');
});

test('service account: a rotated key works beside the old one for the overlap, with the same permissions', async () => {
  const { by, org } = await start();
  equal((await call(serviceAccount.rotateKey, by)).body.error.code, 'SERVICE_ACCOUNT_NOT_FOUND');
  const made = await call(serviceAccount.create, { ...by, body: { name: 'CI', permissions: ['organization:read'] } });
  const use = async (token: string) => (await call(organizations.current, { token, org })).status;
  const first = await call(serviceAccount.rotateKey, { ...by, body: { overlapHours: 1 } });
  equal(first.status, 200, first.text);
  deepEqual([await use(made.body.data.apiKey), await use(first.body.data.apiKey)], [200, 200]);
  const hours = (Date.parse(first.body.data.previousKeyExpiresAt!) - Date.now()) / 3_600_000;
  ok(hours > 0.9 && hours <= 1, String(hours));
  const second = await call(serviceAccount.rotateKey, { ...by, body: { overlapHours: 0 } });
  deepEqual(await Promise.all([made, first, second].map(({ body }) => use(body.data.apiKey))), [401, 401, 200]);
  for (const overlapHours of [-1, 169, 1.5])
    equal((await call(serviceAccount.rotateKey, { ...by, body: { overlapHours } })).status, 400);
  ok(!(await call(serviceAccount.get, by)).text.includes(second.body.data.apiKey));
});

test('service account: an altered key is refused', async () => {
  const { by, org } = await start();
  const made = await call(serviceAccount.create, { ...by, body: { name: 'CI', permissions: ['organization:read'] } });
  const { apiKey } = made.body.data;
  const swapped = apiKey.slice(0, -1) + (apiKey.endsWith('A') ? 'B' : 'A');
  for (const token of [swapped, apiKey.slice(0, -1), `${apiKey}A`, apiKey.toLowerCase(), apiKey.replace('fb_sa_', 'fb_')]) {
    equal((await call(organizations.current, { token, org })).status, 401, token);
  }
});

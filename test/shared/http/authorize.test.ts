import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import type { Access, Role, Scope } from '../../../shared/contract/access.ts';
import { roles } from '../../../shared/contract/access.ts';
import type { CallerCredentials } from '../../../shared/http/authenticate.ts';
import { authorize } from '../../../shared/http/authorize.ts';
import { newKeyToken } from '../../../shared/organization/index.ts';
import { fingerprint, type Key, newId } from '../../../shared/platform/index.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const aws = await scriptAws();
afterAll(aws.stop);

const now = new Date('2030-01-01T00:00:00Z');
const nowSeconds = now.getTime() / 1_000;
const [org, other, deleted, user, session, account] = [
  newId('organization'),
  newId('organization'),
  newId('organization'),
  newId('user'),
  newId('session'),
  newId('serviceAccount'),
];
const claims = { userId: user, sessionId: session, email: 'a@b.c', name: 'A' };
const person: CallerCredentials = { kind: 'person', claims, isCookie: false };
const apiKey = newKeyToken(account);
const key: CallerCredentials = { kind: 'key', apiKey, holderId: account };

let table: InMemoryTable;
const seed = (more: { role?: Role; permissions?: readonly Scope[]; session?: object } = {}) => {
  table = new InMemoryTable();
  aws.play(table.script);
  table.put({ pk: `SESSION#${session}`, sk: 'SESSION', id: session, userId: user, endsAt: nowSeconds + 1, ...more.session });
  for (const id of [org, other]) table.put({ pk: `ORG#${id}`, sk: 'META', id });
  table.put({ pk: `ORG#${deleted}`, sk: 'META', id: deleted, deletedAt: 'x' });
  for (const id of [org, deleted]) table.put({ pk: `ORG#${id}`, sk: `MEMBER#${user}`, userId: user, role: more.role ?? 'owner' });
  table.put({
    pk: `APIKEY#${account}`,
    sk: 'APIKEY',
    accountId: account,
    organizationId: org,
    email: 'k@b.c',
    permissions: more.permissions ?? ['organization:read'],
    fingerprint: fingerprint(apiKey),
  });
};
beforeEach(() => seed());

type Scoped = Exclude<Access, string>;
const read: Scoped = { role: 'viewer', scope: 'organization:read', projects: 'organization' };
const peopleOnly: Scoped = { role: 'viewer', scope: 'people-only' };
const ask = (
  access: Exclude<Access, 'public'>,
  credentials: CallerCredentials,
  {
    organizationHeader = org as string | undefined,
    responseKey = undefined as Key | undefined,
    address = '198.51.100.7' as string | null,
  } = {},
) => authorize({ access, credentials, organizationHeader, responseKey, address, now });
const askWithoutHeader = (access: Exclude<Access, 'public'>, credentials: CallerCredentials) =>
  authorize({ access, credentials, organizationHeader: undefined, responseKey: undefined, address: null, now });
const refused = (code: string, details?: object) => (error: { code: string; details?: object }) => {
  equal(error.code, code);
  if (details) deepEqual(error.details, details);
  return true;
};

test('authorize: a member is authorized with one round trip to the table', async () => {
  const { participant, actor, person: who } = await ask(read, person);
  equal(participant?.tenant.organizationId, org);
  equal(participant?.role, 'owner');
  deepEqual(actor, { type: 'user', id: user, email: 'a@b.c' });
  equal(who?.sessionId, session);
  deepEqual(
    aws.calls.map(({ action }) => action),
    ['BatchGetItem'],
  );
});

for (const required of roles)
  for (const role of roles)
    test(`authorize: role ${role} ${roles.indexOf(role) >= roles.indexOf(required) ? 'satisfies' : 'does not satisfy'} ${required}`, async () => {
      seed({ role });
      const asked = ask({ role: required, scope: 'people-only' }, person);
      if (roles.indexOf(role) >= roles.indexOf(required)) ok((await asked).participant);
      else await rejects(asked, refused('PERMISSION_DENIED', { requiredRole: required, currentRole: role }));
    });

for (const [what, of] of [
  ['was revoked', { revokedAt: 'x' }],
  ['has ended', { endsAt: nowSeconds }],
  ['is another user’s', { userId: newId('user') }],
] as const)
  test(`authorize: a session that ${what} is UNAUTHORIZED`, async () => {
    seed({ session: of });
    await rejects(ask(read, person), refused('UNAUTHORIZED'));
    await rejects(ask('user', person), refused('UNAUTHORIZED'));
  });

test('authorize: a missing session is UNAUTHORIZED', async () => {
  table.items.delete(`SESSION#${session}\nSESSION`);
  await rejects(ask(read, person), refused('UNAUTHORIZED'));
});

test('authorize (person): a missing X-Organization-Id is a VALIDATION_ERROR', async () => {
  const missing = refused('VALIDATION_ERROR', { field: 'X-Organization-Id', reason: 'is required' });
  await rejects(askWithoutHeader(read, person), missing);
  await rejects(ask(read, person, { organizationHeader: '' }), missing);
});

test('authorize (key): a key alone is enough, because it belongs to one organization', async () => {
  equal((await askWithoutHeader(read, key)).participant?.tenant.organizationId, org);
  equal((await ask(read, key, { organizationHeader: '' })).participant?.tenant.organizationId, org);
});

for (const credentials of [person, key]) {
  const who = credentials.kind;
  for (const header of [
    'x',
    org.toLowerCase(),
    `${org},${other}`,
    `${org}, ${org}`,
    `${org} `,
    '../',
    newId('user'),
    'a'.repeat(10_000),
  ])
    test(`authorize (${who}): X-Organization-Id ${header.slice(0, 60)} is a VALIDATION_ERROR`, () =>
      rejects(ask(read, credentials, { organizationHeader: header }), refused('VALIDATION_ERROR')));
  test(`authorize (${who}): an unknown organization is ORGANIZATION_NOT_FOUND`, () =>
    rejects(ask(read, credentials, { organizationHeader: newId('organization') }), refused('ORGANIZATION_NOT_FOUND')));
  test(`authorize (${who}): a deleted organization is ORGANIZATION_NOT_FOUND`, () =>
    rejects(ask(read, credentials, { organizationHeader: deleted }), refused('ORGANIZATION_NOT_FOUND')));
  test(`authorize (${who}): another organization is FORBIDDEN`, () =>
    rejects(ask(read, credentials, { organizationHeader: other }), refused('FORBIDDEN')));
}

test('authorize: an API key with the scope is authorized in its organization', async () => {
  const { participant, actor, person: none } = await ask(read, key);
  equal(participant?.role, undefined);
  deepEqual(actor, { type: 'service_account', id: account, email: 'k@b.c' });
  equal(none, undefined);
});

test('authorize: an API key without the scope is FORBIDDEN, with the required scope', () =>
  rejects(
    ask({ role: 'viewer', scope: 'organization:write', projects: 'organization' }, key),
    refused('FORBIDDEN', { requiredScope: 'organization:write' }),
  ));
test('authorize: an endpoint for people only is FORBIDDEN for API keys', () =>
  rejects(ask(peopleOnly, key), refused('FORBIDDEN')));
test('authorize: an endpoint for signed-in users is FORBIDDEN for API keys', () =>
  rejects(askWithoutHeader('user', key), refused('FORBIDDEN')));

test('authorize: a changed API key, or one of a deleted account, is UNAUTHORIZED', async () => {
  const changed = `${apiKey.slice(0, -1)}${apiKey.endsWith('A') ? 'B' : 'A'}`;
  await rejects(ask(read, { kind: 'key', apiKey: changed, holderId: account }), refused('UNAUTHORIZED'));
  table.items.delete(`APIKEY#${account}\nAPIKEY`);
  await rejects(ask(read, key), refused('UNAUTHORIZED'));
});

test('authorize: the API key of a deleted organization is UNAUTHORIZED', async () => {
  table.put({ pk: `ORG#${org}`, sk: 'META', id: org, deletedAt: 'x' });
  await rejects(ask(read, key), refused('UNAUTHORIZED'));
});

test('authorize: a repeated call with a stored response has the id of the deleted organization, for the log', async () => {
  const responseKey = { pk: 'ANSWER#x', sk: 'ANSWER' };
  await rejects(ask(read, person, { organizationHeader: deleted, responseKey }), refused('ORGANIZATION_NOT_FOUND'));
  table.put({ ...responseKey, digest: 'x' });
  const { participant, deletedOrganizationId } = await ask(read, person, { organizationHeader: deleted, responseKey });
  deepEqual({ participant, deletedOrganizationId }, { participant: undefined, deletedOrganizationId: deleted });
});

test('authorize: only the cookie of a browser session may make a call of browsers', async () => {
  const byCookie: CallerCredentials = { kind: 'person', claims, isCookie: true };
  for (const [isBrowser, credentials] of [
    [true, person],
    [false, person],
    [false, byCookie],
  ] as const) {
    seed({ session: isBrowser ? { isBrowser } : {} });
    await rejects(askWithoutHeader('browser', credentials), refused('FORBIDDEN'));
  }
  await rejects(askWithoutHeader('browser', key), refused('FORBIDDEN'));
  seed({ session: { isBrowser: true } });
  equal((await askWithoutHeader('browser', byCookie)).person?.userId, user);
});

const keyId = newId('apiKey');
const keyText = newKeyToken(keyId);
const byKey: CallerCredentials = { kind: 'key', apiKey: keyText, holderId: keyId };
const seedKey = (more: object = {}) => {
  table.put({ pk: `APIKEY#${keyId}`, sk: 'APIKEY', accountId: keyId, organizationId: org, fingerprint: fingerprint(keyText) });
  const allows = { role: 'member', permissions: ['backups:read', 'backups:write', 'organization:read'] };
  const expiresAt = new Date(now.getTime() + 1).toISOString();
  table.put({ pk: `ORG#${org}`, sk: `API_KEY#${keyId}`, id: keyId, name: 'CI', ...allows, expiresAt, ...more });
};
const write = (role: Role): Scoped => ({ role, scope: 'backups:write', projects: 'named' });

test('authorize (API key): it does what its role and its scopes both allow, and is the actor by its name', async () => {
  seedKey();
  const { actor, participant } = await ask(write('member'), byKey);
  deepEqual(actor, { type: 'api_key', id: keyId, email: null, name: 'CI' });
  deepEqual([participant?.role, participant?.projectIds], ['member', undefined]);
  equal((await askWithoutHeader(write('member'), byKey)).participant?.tenant.organizationId, org);
  await rejects(ask(write('admin'), byKey), refused('PERMISSION_DENIED', { requiredRole: 'admin', currentRole: 'member' }));
  const schedules: Scoped = { role: 'viewer', scope: 'schedules:read', projects: 'named' };
  await rejects(ask(schedules, byKey), refused('FORBIDDEN', { requiredScope: 'schedules:read' }));
  for (const access of [peopleOnly, 'user'] as const) await rejects(ask(access, byKey), refused('FORBIDDEN'));
  await rejects(ask(read, byKey, { organizationHeader: other }), refused('FORBIDDEN'));
});

test('authorize (API key): an expired, changed or deleted key is UNAUTHORIZED, and an expired one is told so', async () => {
  seedKey({ expiresAt: now.toISOString() });
  await rejects(ask(read, byKey), ({ code, message }) => code === 'UNAUTHORIZED' && /expired at/.test(message));
  seedKey();
  const changed: CallerCredentials = { ...byKey, apiKey: newKeyToken(keyId) };
  await rejects(ask(read, changed), refused('UNAUTHORIZED'));
  table.items.delete(`ORG#${org}\nAPI_KEY#${keyId}`);
  await rejects(ask(read, byKey), refused('UNAUTHORIZED'));
});

test('authorize (API key): it may be used from its addresses only', async () => {
  seedKey({ allowedAddresses: ['198.51.100.0/28', '2001:db8:7::/48'] });
  for (const address of ['198.51.100.7', '::ffff:198.51.100.15', '2001:DB8:7:1::9']) ok(await ask(read, byKey, { address }));
  for (const address of ['198.51.100.16', '2001:db8:8::1', '198.51.100.7, 10.0.0.1', '', null])
    await rejects(ask(read, byKey, { address }), ({ code, message }) => code === 'FORBIDDEN' && /address/.test(message));
});

test('authorize (API key): one that is limited to projects cannot make calls for the whole organization', async () => {
  const projectIds = [newId('project')];
  seedKey({ projectIds });
  deepEqual((await ask(write('member'), byKey)).participant?.projectIds, projectIds);
  await rejects(ask(read, byKey), refused('FORBIDDEN'));
});

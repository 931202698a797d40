import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import type { Access, Role, Scope } from '../../../shared/contract/access.ts';
import { roles } from '../../../shared/contract/access.ts';
import type { CallerCredentials } from '../../../shared/http/authenticate.ts';
import { authorize } from '../../../shared/http/authorize.ts';
import { newApiKey } from '../../../shared/organization/index.ts';
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
const apiKey = newApiKey(account);
const key: CallerCredentials = { kind: 'key', apiKey, accountId: account };

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

const read: Access = { role: 'viewer', scope: 'organization:read' };
const peopleOnly: Access = { role: 'viewer', scope: 'people-only' };
const ask = (
  access: Exclude<Access, 'public'>,
  credentials: CallerCredentials,
  { organizationHeader = org as string | undefined, responseKey = undefined as Key | undefined } = {},
) => authorize({ access, credentials, organizationHeader, responseKey, now });
const askWithoutHeader = (access: Exclude<Access, 'public'>, credentials: CallerCredentials) =>
  authorize({ access, credentials, organizationHeader: undefined, responseKey: undefined, now });
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

for (const credentials of [person, key]) {
  const who = credentials.kind;
  test(`authorize (${who}): a missing X-Organization-Id is a VALIDATION_ERROR`, () =>
    rejects(
      askWithoutHeader(read, credentials),
      refused('VALIDATION_ERROR', { field: 'X-Organization-Id', reason: 'is required' }),
    ));
  for (const header of [
    '',
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
    ask({ role: 'viewer', scope: 'organization:write' }, key),
    refused('FORBIDDEN', { requiredScope: 'organization:write' }),
  ));
test('authorize: an endpoint for people only is FORBIDDEN for API keys', () =>
  rejects(ask(peopleOnly, key), refused('FORBIDDEN')));
test('authorize: an endpoint for signed-in users is FORBIDDEN for API keys', () =>
  rejects(askWithoutHeader('user', key), refused('FORBIDDEN')));

test('authorize: a changed API key, or one of a deleted account, is UNAUTHORIZED', async () => {
  const changed = `${apiKey.slice(0, -1)}${apiKey.endsWith('A') ? 'B' : 'A'}`;
  await rejects(ask(read, { kind: 'key', apiKey: changed, accountId: account }), refused('UNAUTHORIZED'));
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

/**
 * Access rules of every endpoint: each kind of missing permission has its exact response. Runs the handlers in this process
 * with their own table; test/attack sends a few of each to a stage where the resources exist.
 */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { invitableRoles, isPersonal, type Role, roles, type Scope, scopes } from '../../shared/contract/access.ts';
import { isOrganizationScoped } from '../../shared/contract/endpoint.ts';
import { type ErrorCode, errors } from '../../shared/contract/errors.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { newKeyToken } from '../../shared/organization/index.ts';
import { fingerprint, newId } from '../../shared/platform/index.ts';
import { startInProcessApi } from '../harness/aws/in-process-api.ts';
import { tokenFor } from '../harness/aws/signing-key.ts';
import { findResponseFlaw, randomParams, rolesBelow } from '../harness/law/endpoint-samples.ts';
import type { Result } from '../harness/stage/client.ts';

const here = await startInProcessApi();
const nowSeconds = Math.floor(Date.now() / 1_000);

const newOrganization = (more: object = {}): string => {
  const id = newId('organization');
  here.table.put({ pk: `ORG#${id}`, sk: 'META', id, name: 'Law', slug: id.toLowerCase(), ownerId: 'x', ...more });
  return id;
};

/** A token of a new user, valid for one hour; with an organization, of a member. */
const newPerson = (organizationId?: string, role: Role = 'owner', issuedAt = nowSeconds): string => {
  const [userId, session] = [newId('user'), newId('session')];
  here.table.put({ pk: `SESSION#${session}`, sk: 'SESSION', id: session, userId, endsAt: nowSeconds + 100_000 });
  if (organizationId) here.table.put({ pk: `ORG#${organizationId}`, sk: `MEMBER#${userId}`, userId, role });
  return tokenFor(userId, session, issuedAt);
};

const newKey = (organizationId: string, permissions: readonly Scope[]): string => {
  const accountId = newId('serviceAccount');
  const key = newKeyToken(accountId);
  const record = { accountId, organizationId, email: 'x@example.com', permissions, fingerprint: fingerprint(key) };
  here.table.put({ pk: `APIKEY#${accountId}`, sk: 'APIKEY', ...record });
  return key;
};

const newApiKey = (organizationId: string, more: object = {}): string => {
  const id = newId('apiKey');
  const key = newKeyToken(id);
  here.table.put({ pk: `APIKEY#${id}`, sk: 'APIKEY', accountId: id, organizationId, fingerprint: fingerprint(key) });
  const allows = { role: 'admin', permissions: scopes, expiresAt: '9999-01-01T00:00:00.000Z' };
  here.table.put({ pk: `ORG#${organizationId}`, sk: `API_KEY#${id}`, id, name: 'Law', ...allows, ...more });
  return key;
};

const [own, foreign, deleted] = [
  newOrganization(),
  newOrganization(),
  newOrganization({ deletedAt: '2026-01-01T00:00:00.000Z' }),
];
const people = Object.fromEntries(roles.map((role) => [role, newPerson(own, role)])) as Record<Role, string>;
const expired = newPerson(own, 'owner', nowSeconds - 3_601);
const [keyOfDeleted, ownerOfDeleted] = [newKey(deleted, scopes), newPerson(deleted)];
const keyWithAll = newKey(own, scopes);
const keysWithOne = Object.fromEntries(scopes.map((scope) => [scope, newKey(own, [scope])])) as Record<Scope, string>;

const apiKeys = {
  ...Object.fromEntries(invitableRoles.map((role) => [role, newApiKey(own, { role })])),
  expired: newApiKey(own, { expiresAt: '2026-01-01T00:00:00.000Z' }),
  elsewhere: newApiKey(own, { allowedAddresses: ['192.0.2.0/24', '2001:db8::/32'] }),
  limited: newApiKey(own, { projectIds: [newId('project')] }),
  noScope: newApiKey(own, { permissions: [] }),
} as Record<Role | 'expired' | 'elsewhere' | 'limited' | 'noScope', string>;

const contents = (): string =>
  JSON.stringify([...here.table.items].filter(([name]) => !/^(RATE|SEEN)#/.test(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
const untouched = contents();
afterAll(() => {
  here.stop();
  equal(contents(), untouched, 'a refused call changed the table');
});

for (const endpoint of endpoints.filter(({ access }) => access !== 'public')) {
  const { access, id } = endpoint;
  const ask = (headers: Record<string, string>) => {
    const params = randomParams(endpoint);
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
    return here.send(endpoint, { method: endpoint.method, path, params, headers });
  };
  const refused = (result: Result<unknown>, code: ErrorCode, details: object = {}) => {
    equal(findResponseFlaw(endpoint, result), undefined);
    equal(result.body.error.code, code, result.text);
    equal(result.status, errors[code]);
    deepEqual(result.body.error.details, code === 'VALIDATION_ERROR' ? { ...details, errors: [details] } : details);
  };
  const isRefused = async (
    token: string,
    { org, code, details }: { readonly org: string; readonly code: ErrorCode; readonly details?: object | undefined },
  ) => refused(await ask({ authorization: `Bearer ${token}`, 'x-organization-id': org }), code, details);

  const refusesKeys = async (keys: readonly string[]) => {
    for (const key of keys) await isRefused(key, { org: own, code: 'FORBIDDEN' });
  };

  describe(id, () => {
    for (const [what, headers] of [
      ['no token', {}],
      ['a malformed token', { authorization: 'Bearer garbage' }],
      ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
      ['an empty token', { authorization: 'Bearer ' }],
      ['an unknown key', { authorization: `Bearer fb_sa_${newId('serviceAccount')}_${'A'.repeat(43)}` }],
      ['an expired token', { authorization: `Bearer ${expired}` }],
      ['an unknown API key', { authorization: `Bearer fb_key_${newId('apiKey')}_${'A'.repeat(43)}` }],
      ['an expired API key', { authorization: `Bearer ${apiKeys.expired}` }],
    ] as const)
      test(`${what} is unauthorized`, async () => {
        const result = await ask({ 'x-organization-id': own, ...headers });
        refused(result, 'UNAUTHORIZED');
        equal(result.headers.get('www-authenticate'), 'Bearer');
      });

    if (isPersonal(access)) test('an API key is not a user', () => refusesKeys([keyWithAll, apiKeys.admin]));
    test('an API key is refused from another address', () => isRefused(apiKeys.elsewhere, { org: own, code: 'FORBIDDEN' }));
    if (access === 'browser')
      test('the token of an app or a device is refused', () => isRefused(people.owner, { org: own, code: 'FORBIDDEN' }));
    if (typeof access !== 'object') return;
    const { role, scope } = access;

    test('the organization header is required', async () =>
      refused(await ask({ authorization: `Bearer ${people.owner}` }), 'VALIDATION_ERROR', {
        field: 'X-Organization-Id',
        reason: 'is required',
      }));
    // The gateway joins repeated headers.
    for (const malformed of ['x', 'org_', 'null', '../', '%00', 'usr_01JZ8Q4V0M6T3X9C2B7N5K1HRD', `${own},${foreign}`])
      test(`${malformed} is not an organization id`, () =>
        isRefused(people.owner, {
          org: malformed,
          code: 'VALIDATION_ERROR',
          details: {
            field: 'X-Organization-Id',
            reason: 'must be the id of an organization (org_…)',
          },
        }));
    test('an unknown organization is not found', () =>
      isRefused(people.owner, { org: newId('organization'), code: 'ORGANIZATION_NOT_FOUND' }));
    test('a deleted organization is not found, even by its owner', () =>
      isRefused(ownerOfDeleted, { org: deleted, code: 'ORGANIZATION_NOT_FOUND' }));
    test('the key of a deleted organization is unauthorized', () =>
      isRefused(keyOfDeleted, { org: deleted, code: 'UNAUTHORIZED' }));
    test('another organization is forbidden to users and keys', async () => {
      await isRefused(people.owner, { org: foreign, code: 'FORBIDDEN' });
      for (const key of [keyWithAll, apiKeys.admin]) await isRefused(key, { org: foreign, code: 'FORBIDDEN' });
    });

    for (const below of rolesBelow(role))
      test(`the role ${below} is insufficient`, () =>
        isRefused(people[below], { org: own, code: 'PERMISSION_DENIED', details: { requiredRole: role, currentRole: below } }));

    if (scope === 'people-only') test('a key is refused whatever its scope', () => refusesKeys([keyWithAll, apiKeys.admin]));
    else {
      test(`a key without the scope ${scope} is refused with the required scope`, async () => {
        for (const other of scopes.filter((one) => one !== scope))
          await isRefused(keysWithOne[other], { org: own, code: 'FORBIDDEN', details: { requiredScope: scope } });
        await isRefused(apiKeys.noScope, { org: own, code: 'FORBIDDEN', details: { requiredScope: scope } });
      });
      for (const below of rolesBelow(role))
        test(`an API key of the role ${below} cannot do it, whatever its scopes`, () =>
          isRefused(apiKeys[below], {
            org: own,
            code: 'PERMISSION_DENIED',
            details: { requiredRole: role, currentRole: below },
          }));
      if (access.projects === 'organization')
        test('an API key that is limited to projects is refused', () =>
          isRefused(apiKeys.limited, { org: own, code: 'FORBIDDEN' }));
    }
  });
}

test('access: most endpoints are scoped to an organization, but not all', () => {
  const scoped = endpoints.filter(isOrganizationScoped).length;
  ok(scoped > 10);
  notEqual(scoped, endpoints.length);
});

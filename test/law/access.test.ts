/** Who may call what, for every row of the contract: each way of not being allowed has its exact answer. */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { isOrganizationScoped } from '../../shared/contract/endpoint.ts';
import { type ErrorCode, errors } from '../../shared/contract/errors.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { accountOf } from '../../shared/organization/index.ts';
import { lookup } from '../../shared/organization/record.ts';
import { newId } from '../../shared/platform/index.ts';
import { type CallOptions, call, type Result, stageUrl } from '../support/client.ts';
import { claimsOf } from '../support/forge.ts';
import { startInProcessApi } from '../support/in-process-api.ts';
import { type Person, signIn } from '../support/person.ts';
import { tokenFor } from '../support/signing.ts';
import { itemsOf } from '../support/table.ts';
import { flawOf, makeWorld, randomParams, rolesBelow, type World } from '../support/world.ts';

/**
 * Every row is asked by the handlers in this process, over a copy of the people, organizations and keys of the running stage. The stage
 * itself is asked for the first row of each kind of access, and for whatever is let in.
 */
const here = await startInProcessApi();
let world: World;
let untouched: readonly unknown[];
const contents = async () =>
  (await Promise.all(['ORG', 'AUDIT'].map((name) => itemsOf(`${name}#${world.organization.id}`)))).flat();

before(async () => {
  world = await makeWorld();
  untouched = await contents();
  for (const partition of partitionsOf(world)) for (const item of await itemsOf(partition)) here.table.put(item);
});
after(async () => {
  here.stop();
  deepEqual(await contents(), untouched, 'a refused call changed something');
});

const partitionsOf = ({ organization, people, apiKey, lacking, foreign, deleted }: World): readonly string[] => {
  const withKey = [{ organization, apiKey }, { organization: deleted, apiKey: deleted.apiKey }, ...Object.values(lacking)];
  return [
    ...[foreign, ...withKey.map((each) => each.organization)].map(({ id }) => `ORG#${id}`),
    ...[...Object.values(people), deleted.owner].flatMap((person) => [`USER#${person.userId}`, `SESSION#${sessionOf(person)}`]),
    ...withKey.map((each) => lookup.apiKey(accountOf(each.apiKey)!).pk),
  ];
};
const sessionOf = ({ accessToken }: Person): string => String(claimsOf(accessToken).sid);

/** A token or key as the running stage knows it, and one that stands for the same in this process. */
interface Caller {
  readonly token: string;
  readonly tokenHere: string;
}
const personal = (token: string): Caller => {
  const { sub, sid, iat } = claimsOf(token) as { sub: string; sid: string; iat: number };
  return { token, tokenHere: tokenFor(sub, sid, iat) };
};
const keyed = (apiKey: string): Caller => ({ token: apiKey, tokenHere: apiKey });

const kindsSeen = new Set<string>();
for (const endpoint of endpoints.filter(({ access }) => access !== 'public')) {
  const { access, id } = endpoint;
  const kind = JSON.stringify(access);
  const isFirst = !kindsSeen.has(kind);
  kindsSeen.add(kind);
  const ask = (options: CallOptions) => call(endpoint, { params: randomParams(endpoint), ...options });
  const askHere = (headers: Record<string, string>) => {
    const params = randomParams(endpoint);
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
    return here.send(endpoint, { method: endpoint.method, path, params, headers });
  };
  const refused = (result: Result<unknown>, code: ErrorCode, details?: object) => {
    equal(flawOf(endpoint, result), undefined);
    equal(result.body.error.code, code, result.text);
    equal(result.status, errors[code]);
    deepEqual(result.body.error.details, details);
  };
  const own = () => world.organization.id;
  const isRefused = async ({ token, tokenHere }: Caller, org: string, code: ErrorCode, details?: object) => {
    refused(await askHere({ authorization: `Bearer ${tokenHere}`, 'x-organization-id': org }), code, details);
    if (isFirst) refused(await ask({ token, org }), code, details);
  };

  suite(id, () => {
    for (const [what, headers] of [
      ['no token', {}],
      ['garbage for a token', { authorization: 'Bearer garbage' }],
      ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
      ['an empty token', { authorization: 'Bearer ' }],
      ['a key nobody made', { authorization: `Bearer fb_sa_${newId('serviceAccount')}_${'A'.repeat(43)}` }],
    ] as const)
      test(`${what} is nobody`, async () => {
        const result = await askHere({ 'x-organization-id': here.organizationIds[0]!, ...headers });
        refused(result, 'UNAUTHORIZED');
        equal(result.headers.get('www-authenticate'), 'Bearer');
      });

    test('a token past its hour is nobody', () => isRefused(personal(world.expiredToken), own(), 'UNAUTHORIZED'));

    if (access === 'user') {
      test('an API key is no person', () => isRefused(keyed(world.apiKey), own(), 'FORBIDDEN'));
      test('a signed-in person is let in', async () => {
        const { status } = await ask({ token: (await signIn()).accessToken });
        ok(![401, 403].includes(status), String(status));
      });
    }

    if (typeof access === 'object') {
      const { role, scope } = access;
      const owner = () => personal(world.people.owner.accessToken);

      const signedIn = { authorization: `Bearer ${here.token}` };
      test('without an organization nothing is assumed', async () =>
        refused(await askHere(signedIn), 'VALIDATION_ERROR', { field: 'X-Organization-Id', reason: 'is required' }));
      for (const malformed of ['x', 'org_', 'null', '../', '%00', 'usr_01JZ8Q4V0M6T3X9C2B7N5K1HRD'])
        test(`${malformed} is no organization`, async () =>
          refused(await askHere({ ...signedIn, 'x-organization-id': malformed }), 'VALIDATION_ERROR', {
            field: 'X-Organization-Id',
            reason: 'must be one organization id',
          }));
      test('two organizations at once are none', async () => {
        const ids = [world.organization.id, world.foreign.id];
        const status = await new Promise<number>((resolve, reject) => {
          const path = endpoint.path.replace(/\{\w+\}/g, 'x');
          const headers = { authorization: `Bearer ${owner().token}`, 'x-organization-id': ids };
          request(stageUrl() + path, { method: endpoint.method, headers }, (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          })
            .on('error', reject)
            .end();
        });
        equal(status, 400);
      });
      test('an organization that never was is not found', () =>
        isRefused(owner(), newId('organization'), 'ORGANIZATION_NOT_FOUND'));
      test('a deleted organization is not found, not even by its owner', () =>
        isRefused(personal(world.deleted.owner.accessToken), world.deleted.id, 'ORGANIZATION_NOT_FOUND'));
      test('the key of a deleted organization is nobody', () =>
        isRefused(keyed(world.deleted.apiKey), world.deleted.id, 'UNAUTHORIZED'));
      test('another’s organization is forbidden, to people and to keys', async () => {
        await isRefused(owner(), world.foreign.id, 'FORBIDDEN');
        await isRefused(keyed(world.apiKey), world.foreign.id, 'FORBIDDEN');
      });

      for (const below of rolesBelow(role))
        test(`the role ${below} is too low`, () =>
          isRefused(personal(world.people[below].accessToken), own(), 'PERMISSION_DENIED', {
            requiredRole: role,
            currentRole: below,
          }));

      if (scope === 'people-only') test('no scope is enough for a key', () => isRefused(keyed(world.apiKey), own(), 'FORBIDDEN'));
      else {
        test(`a key without ${scope} is told so`, () => {
          const { organization, apiKey } = world.lacking[scope]!;
          return isRefused(keyed(apiKey), organization.id, 'FORBIDDEN', { requiredScope: scope });
        });
        test(`a key with ${scope} and nothing else is let in`, async () => {
          const { organization, apiKey } = world.only[scope]!;
          const { status } = await ask({ org: organization.id, token: apiKey });
          ok(![401, 403].includes(status), String(status));
        });
      }

      test(`the role ${role} is let in`, async () => {
        const { status } = await ask({ org: world.playground.id, token: world.people[role].accessToken });
        ok(![401, 403].includes(status), String(status));
      });
    }
  });
}

test('every row that is not public was looked at, and most rows are', () => {
  const scoped = endpoints.filter(isOrganizationScoped).length;
  ok(scoped > 10);
  notEqual(scoped, endpoints.length);
});

/** What holds for every row: it is where it says, and whatever is not there says so in the same way. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'vitest';
import { handlers } from '../../functions/api/index.ts';
import { capabilities } from '../../shared/contract/capabilities.ts';
import { type Endpoint, isOrganizationScoped } from '../../shared/contract/endpoint.ts';
import { capabilitiesOf, endpoints, handlerOf } from '../../shared/contract/index.ts';
import { findResponseFlaw, randomParams } from '../harness/law/endpoint-samples.ts';
import { api, call, type Result, stageUrl } from '../harness/stage/client.ts';

test('ids and addresses are unique', () => {
  equal(new Set(endpoints.map(({ id }) => id)).size, endpoints.length);
  equal(new Set(endpoints.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)).size, endpoints.length);
});

for (const endpoint of endpoints) {
  const { id, method, path, access, reply, data, list, audit, body } = endpoint;
  describe(id, () => {
    test('has a handler of its name', () => {
      const [group = '', operation = ''] = id.split('.');
      equal(typeof (handlers as Record<string, Record<string, unknown>>)[group]?.[operation], 'function');
      match(handlerOf(endpoint).file, /^[a-z]+(-[a-z]+)*$/);
    });

    test('is below /api/v1, or public', () => ok(path.startsWith('/api/v1/') || access === 'public'));
    test('answers one thing', () => {
      ok(!(data && list));
      ok(!(reply === 'file' || reply === 'redirect') || !(data || list));
      equal(reply === 'file', endpoint.content !== undefined);
    });
    // Decisions section 11: every state change writes an entry. A GET that begins a sign-in changes nothing anyone owns.
    test('says what the audit log calls it, if it changes something', () => {
      if (method !== 'GET') ok(audit, 'a row that changes something has no audit action');
      if (audit) ok(endpoint.capabilities.includes('table:write'), 'a row that changes something may not write');
    });
    test('takes a body where its method has one', () => {
      equal(body !== undefined, method === 'POST' || method === 'PUT' || method === 'PATCH');
    });
    test('is granted what it uses, with the token keys exactly where someone signs in', () => {
      const granted = capabilitiesOf(endpoint);
      for (const use of granted) ok(use in capabilities);
      if (access !== 'public') ok(granted.includes('token:verify') && granted.includes('table:read'));
      if (endpoint.idempotent || list) ok(granted.includes('secret:service'));
    });
    test('creates with 201 and a key for repeating it', () => {
      if (endpoint.status === 201) ok(endpoint.idempotent);
      if (endpoint.idempotent) equal(method, 'POST');
    });

    // The others are asked by test/attack, by nobody and by whoever may.
    if (access === 'public')
      test('is routed to, and its answer has what every answer has', async () => {
        const result = await call(endpoint, { params: randomParams(endpoint) });
        ok(![405, 500, 502, 503].includes(result.status), result.text);
        ok(!result.text.includes('Path not found'));
        equal(findResponseFlaw(endpoint, result), undefined);
      });
  });
}

const sent = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, 'x');
const matches = (template: string, path: string): boolean => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
const addresses = Object.entries(Object.groupBy(endpoints, (endpoint) => endpoint.path));

const nothing = (result: Result<unknown>) => {
  equal(result.status, 404, result.text);
  equal(result.body.error.code, 'NOT_FOUND');
  for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
    ok(result.headers.get(name), name);
};

for (const [path, at = []] of addresses) {
  // A word can stand where another path has an id: then that path's methods are answered here, too.
  const allow = [...new Set(endpoints.filter((other) => matches(other.path, path)).map(({ method }) => method))];
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !allow.includes(other as never)))
    test(`${method} ${path} is not allowed, and the methods that are are named`, async () => {
      const result = await api(method, sent(at[0]!));
      equal(result.status, 405, result.text);
      equal(result.body.error.code, 'METHOD_NOT_ALLOWED');
      deepEqual(result.headers.get('allow')?.split(', ').sort(), allow.toSorted());
      ok(result.headers.get('ratelimit-limit') && result.headers.get('x-request-id'));
    });
  test(`${path} with a slash more, in capitals or with a part doubled is another path`, async () => {
    nothing(await api(at[0]!.method, `${sent(at[0]!)}/`));
    nothing(await api(at[0]!.method, sent(at[0]!).toUpperCase()));
    nothing(await api(at[0]!.method, `/${sent(at[0]!)}`));
  });
}

for (const path of [
  '/',
  '/nothing',
  '/api',
  '/api/',
  '/api/backups',
  '/api/v2/organizations',
  '/api/V1/organizations',
  '/api/v1',
  '/api/v1/',
  '/api/v1/nothing',
  '/api/v11/auth/me',
  '/health/x',
  '/favicon.ico',
])
  test(`there is nothing at ${path}`, async () => nothing(await api('GET', path)));

for (const path of ['/api', '/api/backups', '/api/organizations', '/api/v2/organizations', '/api/v11/auth/me'])
  test(`${path} is told where the interface is now`, async () =>
    match((await api('GET', path)).body.error.message, /\/api\/v1\b/));

test('nothing is not named where the version is right', async () => {
  ok(!(await api('GET', '/api/v1/nothing')).body.error.message.includes('/api/v1'));
});

/** As typed: fetch would tidy the path up. */
const raw = (method: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(stageUrl(), { method, path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

for (const path of [
  '/api/v1/../v1/auth/me',
  '/api/v1/%2e%2e/v1/auth/me',
  '/api/v1/auth/..%2fme',
  '/api/v1//auth/me',
  '/api/v1/auth/me%20',
  '/%61pi/v1/nothing',
])
  test(`${path} reaches nothing`, async () => equal(await raw('GET', path), 404));

test('asking for the head of something is refused like any other method', async () =>
  equal(await raw('HEAD', '/api/v1/auth/me'), 405));

test('rows with an organization are most of them', () =>
  ok(endpoints.filter(isOrganizationScoped).length > endpoints.length / 3));

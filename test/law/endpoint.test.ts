/** Every endpoint is routed, and unknown paths have uniform responses. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'vitest';
import { handlers } from '../../functions/handlers.ts';
import { capabilities } from '../../shared/contract/capabilities.ts';
import { type Endpoint, isOrganizationScoped } from '../../shared/contract/endpoint.ts';
import { capabilitiesOf, endpoints, handlerOf } from '../../shared/contract/index.ts';
import { findResponseFlaw, randomParams } from '../harness/law/endpoint-samples.ts';
import { api, call, type Result, stageUrl } from '../harness/stage/client.ts';

test('endpoints: ids and paths are unique', () => {
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
    test('has one kind of response', () => {
      ok(!(data && list));
      ok(!(reply === 'file' || reply === 'redirect') || !(data || list));
      equal(reply === 'file', endpoint.content !== undefined);
    });
    // Decisions section 11: every change writes an audit entry. Starting a sign-in changes no one's data.
    test('has an audit action if it changes something', () => {
      if (method !== 'GET' && id !== 'device.start') ok(audit, 'an endpoint that changes something has no audit action');
      if (audit) ok(endpoint.capabilities.includes('table:write'), 'an endpoint that changes something has no write capability');
    });
    test('has a body if its method allows one', () => {
      equal(body !== undefined, method === 'POST' || method === 'PUT' || method === 'PATCH');
    });
    test('has its capabilities, and token keys only for sign-in', () => {
      const granted = capabilitiesOf(endpoint);
      for (const use of granted) ok(use in capabilities);
      if (access !== 'public') ok(granted.includes('token:verify') && granted.includes('table:read'));
      if (endpoint.idempotent || list) ok(granted.includes('secret:service'));
    });
    test('has a Location that can be read, if it creates or starts something', () => {
      const { status, alsoStatus, location } = endpoint;
      equal(
        location !== undefined,
        [status, alsoStatus].some((one) => one === 201 || one === 202),
      );
      if (location === undefined) return;
      const path = location.replaceAll(/\{\w+\}/g, 'x');
      ok(
        endpoints.some((other) => other.method === 'GET' && matches(other.path, path)),
        location,
      );
    });
    test('creates with 201 and an Idempotency-Key', () => {
      if (endpoint.status === 201) ok(endpoint.idempotent);
      if (endpoint.idempotent) equal(method, 'POST');
    });

    // test/attack calls the others, with and without credentials.
    if (access === 'public')
      test('is routed, and its response follows the common rules', async () => {
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
  // A literal can match another path's parameter: that endpoint answers its methods, but they are not methods of this path.
  const answered: readonly string[] = endpoints.filter((other) => matches(other.path, path)).map(({ method }) => method);
  const allow: readonly string[] = at.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !answered.includes(other)))
    test(`${method} ${path} is not allowed, and Allow lists the methods`, async () => {
      const result = await api(method, sent(at[0]!));
      equal(result.status, 405, result.text);
      equal(result.body.error.code, 'METHOD_NOT_ALLOWED');
      deepEqual(result.headers.get('allow')?.split(', ').sort(), allow.toSorted());
      ok(result.headers.get('ratelimit-limit') && result.headers.get('x-request-id'));
    });
  test(`${path} with an extra slash, in capitals or with a doubled segment is another path`, async () => {
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
  test(`${path} is not found`, async () => nothing(await api('GET', path)));

for (const path of ['/api', '/api/backups', '/api/organizations', '/api/v2/organizations', '/api/v11/auth/me'])
  test(`${path} gets the address of the current version`, async () =>
    match((await api('GET', path)).body.error.message, /\/api\/v1\b/));

test('endpoints: an unknown path of the current version gets no hint', async () => {
  ok(!(await api('GET', '/api/v1/nothing')).body.error.message.includes('/api/v1'));
});

/** Unnormalized: fetch would normalize the path. */
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
  test(`${path} matches no route`, async () => equal(await raw('GET', path), 404));

test('endpoints: HEAD is answered like GET, and only where there is a GET', async () => {
  equal(await raw('HEAD', '/api/v1/auth/me'), 401);
  equal(await raw('HEAD', '/api/v1/auth/token'), 405);
});

test('endpoints: most are scoped to an organization', () =>
  ok(endpoints.filter(isOrganizationScoped).length > endpoints.length / 3));

/** HTTP of the API: HEAD, Location, compression, and all validation problems at once. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { serviceAccount } from '../../../shared/contract/endpoints/service-account.ts';
import { description } from '../../../shared/contract/endpoints/system.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { randomParams } from '../../harness/law/endpoint-samples.ts';
import { api, call, stageUrl } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';

const fill = (path: string): string => {
  const params = randomParams({ path });
  return path.replace('{path+}', 'x').replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
};
const paths = endpoints
  .filter(({ method }) => method === 'GET')
  .flatMap(({ path, alsoPaths = [] }) => [path, ...alsoPaths].map(fill));

for (const [caller, by] of [
  ['a stranger', async () => ({})],
  ['a member', async () => newOrganization().then(({ id, owner }) => ({ token: owner.accessToken, org: id }))],
] as const)
  test(`HEAD: every GET answers ${caller} with the same status and headers, and no body`, async () => {
    const as = await by();
    ok(paths.length > 50);
    const statuses = new Set<number>();
    for (const path of paths) {
      const [get, head] = [await api('GET', path, as), await api('HEAD', path, as)];
      statuses.add(get.status);
      deepEqual([head.status, head.text], [get.status, ''], path);
      for (const name of ['content-type', 'content-length', 'cache-control', 'allow', 'www-authenticate', 'location', 'vary'])
        equal(head.headers.get(name)?.length, get.headers.get(name)?.length, `${path} ${name}`);
      ok(head.headers.get('x-request-id') && head.headers.get('ratelimit-limit'), path);
    }
    for (const status of 'token' in as ? [200, 302, 400, 404] : [200, 401])
      ok(statuses.has(status), `no ${status}: ${[...statuses]}`);
  });

test('HEAD: a path without GET lists its methods', async () => {
  const { status, headers } = await api('HEAD', auth.token.path);
  deepEqual([status, headers.get('allow')], [405, 'POST']);
});

// One route serves GET and HEAD of a path, and gets every other method, too.
test('a GET endpoint refuses other methods before it authenticates, and changes nothing', async () => {
  const { id, owner } = await newOrganization();
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PURGE']) {
    const { status, headers, body } = await api(method, auth.me.path, { token: owner.accessToken, org: id, body: { name: 'x' } });
    deepEqual([status, headers.get('allow')], [405, 'GET, HEAD']);
    deepEqual([body.error.code, body.error.details.allowedMethods], ['METHOD_NOT_ALLOWED', ['GET', 'HEAD']]);
    ok(headers.get('ratelimit-limit') && headers.get('x-request-id'));
  }
});

test('Location: a created resource can be read at its Location, also if the response is replayed', async () => {
  const { id: org, owner } = await newOrganization();
  const by = { token: owner.accessToken, org };
  const headers = { 'idempotency-key': 'location' };
  const body = { name: 'Hook', url: 'https://example.com/hook', events: ['*'] };
  for (const replayed of [null, 'true']) {
    const made = await call(webhooks.create, { ...by, body, headers });
    deepEqual([made.status, made.headers.get('idempotent-replayed')], [201, replayed]);
    const location = made.headers.get('location') ?? '';
    equal(location, `/api/v1/webhooks/${made.body.data.id}`);
    equal((await api('GET', location, by)).status, 200);
  }
  const account = await call(serviceAccount.create, { ...by, body: { name: 'CI', permissions: ['backups:read'] } });
  equal((await api('GET', account.headers.get('location')!, by)).status, 200);
});

test('Location: a response that creates nothing has none', async () => {
  const { id: org, owner } = await newOrganization();
  const { status, headers } = await call(organizations.update, { token: owner.accessToken, org, body: { name: 'Other' } });
  deepEqual([status, headers.get('location')], [200, null]);
});

/** Undecoded: fetch would decompress the body. */
const raw = (
  path: string,
  accepted: string,
): Promise<{ encoding: string | undefined; vary: string | undefined; bytes: Buffer }> =>
  new Promise((resolve, reject) => {
    request(`${stageUrl()}${path}`, { headers: { 'accept-encoding': accepted } }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ encoding: response.headers['content-encoding'], vary: response.headers.vary, bytes });
    })
      .on('error', reject)
      .end();
  });

for (const { path } of [description.docs, description.openapi])
  test(`${path} is compressed if the client accepts it`, async () => {
    const plain = await raw(path, 'identity');
    const zipped = await raw(path, 'gzip');
    deepEqual([plain.encoding, zipped.encoding], [undefined, 'gzip']);
    match(plain.vary ?? '', /accept-encoding/i);
    match(zipped.vary ?? '', /accept-encoding/i);
    ok(zipped.bytes.length < plain.bytes.length / 4, `${zipped.bytes.length} of ${plain.bytes.length}`);
    ok(gunzipSync(zipped.bytes).equals(plain.bytes));
    equal((await raw(path, 'br')).encoding, 'br');
  });

test('validation: all problems are in one response, the first one also at the top', async () => {
  const { id: org, owner } = await newOrganization();
  const body = { nmae: 'x', url: 7, events: 'all', timeout: 1 };
  const { status, body: answer } = await call(webhooks.create, { token: owner.accessToken, org, body });
  const { details, code } = answer.error;
  deepEqual({ status, code, field: details.field }, { status: 400, code: 'VALIDATION_ERROR', field: 'nmae' });
  deepEqual(
    (details.errors as { field: string }[]).map(({ field }) => field),
    ['nmae', 'name', 'url', 'events', 'timeout'],
  );
});

test('errors: details is an object, also if there are none', async () => {
  deepEqual((await api('GET', auth.me.path)).body.error.details, {});
  deepEqual((await api('GET', '/api/v1/nowhere')).body.error.details, {});
});

/** Client against a real server that injects faults. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, test } from 'vitest';
import type { DataOf, InputOf } from '../../../shared/client/index.ts';
import { ApiFailure, type Client, type ClientOptions, NetworkFailure, openClient } from '../../../shared/client/index.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Respond = (response: ServerResponse, seen: Seen) => void;

let server: Server;
let calls: Seen[];
/** Each answers one call; the last one also answers all further calls. */
let answers: Respond[];

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers });
    response.end(JSON.stringify(body));
  };
const success = (data: unknown): Respond => json(200, { success: true, data });
const refusal = (status: number, code: string, headers?: Record<string, string>): Respond =>
  json(status, { success: false, error: { code, message: `refused: ${code}`, details: { field: 'name' } } }, headers);
const cut: Respond = (response) => response.destroy();

beforeEach(async () => {
  calls = [];
  answers = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    calls.push(seen);
    const respond = answers.length > 1 ? answers.shift() : answers[0];
    respond?.(response, seen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const open = (options: Partial<ClientOptions> = {}): Client =>
  openClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retry: { backoffMs: 1 },
    ...options,
  });

const backup = (status: string, percent = 0) => ({ id: 'bkp_1', status, progress: { percent } });

test('client: a call fills the path, encodes the query, and sends credentials and the organization', async () => {
  answers = [success([{ path: 'a' }])];
  const client = open({ token: 'secret', organizationId: () => 'org_1', headers: { 'user-agent': 'tests' } });
  const data = await client.request('GET /backups/{backupId}/documents', {
    params: { backupId: 'bkp/1' },
    query: { path: 'users/ä&b', showMissing: undefined, limit: 5 },
  });
  deepEqual(data, [{ path: 'a' }]);
  equal(calls[0]?.url, '/api/v1/backups/bkp%2F1/documents?path=users%2F%C3%A4%26b&limit=5');
  equal(calls[0]?.headers.authorization, 'Bearer secret');
  equal(calls[0]?.headers['x-organization-id'], 'org_1');
  equal(calls[0]?.headers['user-agent'], 'tests');
});

test('client: an API key is sent as a bearer token', async () => {
  answers = [success([])];
  await open({ apiKey: 'fb_sa_1' }).request('GET /projects');
  equal(calls[0]?.headers.authorization, 'Bearer fb_sa_1');
});

test('client: without credentials the browser is asked to send cookies to its own origin only', async () => {
  const modes: (string | undefined)[] = [];
  const fetch: ClientOptions['fetch'] = async (_, { credentials }) => {
    modes.push(credentials);
    return Response.json({ success: true, data: [] });
  };
  await open({ fetch }).request('GET /projects');
  await open({ fetch, token: 't' }).request('GET /projects');
  deepEqual(modes, ['same-origin', 'omit']);
});

test('client: a path outside of the API is not prefixed, and a file is returned as it is', async () => {
  answers = [json(200, { keys: [{ kid: '1', kty: 'RSA' }] })];
  deepEqual(await open().request('GET /.well-known/jwks.json'), { keys: [{ kid: '1', kty: 'RSA' }] });
  answers = [(response) => response.setHeader('content-type', 'text/csv').end('id,action\n')];
  equal(await open().request('GET /audit-logs/export'), 'id,action\n');
  deepEqual(
    calls.map(({ url }) => url),
    ['/.well-known/jwks.json', '/api/v1/audit-logs/export'],
  );
});

test('client: a call without data returns its message', async () => {
  answers = [json(200, { success: true, message: 'Backup deleted' })];
  deepEqual(await open().request('DELETE /backups/{backupId}', { params: { backupId: 'b' } }), { message: 'Backup deleted' });
});

test('client: a refused call throws its code, details and request id', async () => {
  answers = [refusal(400, 'VALIDATION_ERROR')];
  const failure = await failureOf(open().request('GET /projects'));
  ok(failure instanceof ApiFailure);
  const { status, code, message, details, requestId, retryAfter, route } = failure;
  deepEqual(
    { status, code, message, details, requestId, retryAfter, route },
    {
      status: 400,
      code: 'VALIDATION_ERROR',
      message: 'refused: VALIDATION_ERROR',
      details: { field: 'name' },
      requestId: 'req-1',
      retryAfter: null,
      route: 'GET /api/v1/projects',
    },
  );
  equal(calls.length, 1);
});

test('client: a response of something else than the service is a failure, even with status 200', async () => {
  answers = [(response) => response.setHeader('content-type', 'application/json').end('{"cut')];
  const failure = await failureOf(open().request('GET /projects'));
  ok(failure instanceof ApiFailure);
  equal(failure.code, 'UNKNOWN');
  answers = [(response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Firewall</h1>')];
  await rejects(open().request('GET /projects'), { code: 'UNKNOWN', status: 403 });
});

for (const [name, fault] of Object.entries({
  'a lost connection': cut,
  'status 429': refusal(429, 'RATE_LIMITED'),
  'status 502': refusal(502, 'UNKNOWN'),
  'status 503': refusal(503, 'SERVICE_UNAVAILABLE'),
  'status 504': refusal(504, 'UNKNOWN'),
}))
  test(`client: ${name} is retried under one Idempotency-Key`, async () => {
    answers = [fault, fault, success(backup('pending'))];
    await open().request('POST /backups', { body: { projectId: 'prj_1' } });
    equal(calls.length, 3);
    const keys = new Set(calls.map(({ headers }) => headers['idempotency-key']));
    equal(keys.size, 1);
    match(String([...keys][0]), /^[\w-]{36}$/);
    await open().request('POST /backups', { body: { projectId: 'prj_1' } });
    ok(!keys.has(calls[3]?.headers['idempotency-key']));
  });

// A refresh token works once: repeating the call would end the session.
test('client: a POST that is not idempotent is repeated only if the service refused to run it', async () => {
  for (const fault of [cut, refusal(502, 'UNKNOWN'), refusal(503, 'SERVICE_UNAVAILABLE'), refusal(504, 'UNKNOWN')]) {
    calls = [];
    answers = [fault, success({})];
    await rejects(open().request('POST /auth/refresh'));
    equal(calls.length, 1);
    equal(calls[0]?.headers['idempotency-key'], undefined);
  }
  answers = [refusal(429, 'RATE_LIMITED'), success({})];
  await open().request('POST /auth/refresh');
});

test('client: a persistent failure is reported after five attempts', async () => {
  answers = [refusal(503, 'SERVICE_UNAVAILABLE')];
  await rejects(open().request('GET /projects'), { status: 503, code: 'SERVICE_UNAVAILABLE' });
  equal(calls.length, 5);
  answers = [cut];
  await rejects(open().request('GET /projects'), NetworkFailure);
  equal(calls.length, 10);
});

test('client: Retry-After is waited for, and a long one is reported instead', async () => {
  answers = [refusal(429, 'RATE_LIMITED', { 'retry-after': '1' }), success([])];
  const start = performance.now();
  await open().request('GET /projects');
  ok(performance.now() - start >= 990);
  answers = [refusal(429, 'RATE_LIMITED', { 'retry-after': '3600' })];
  await rejects(open().request('GET /projects'), { code: 'RATE_LIMITED', retryAfter: 3_600 });
  equal(calls.length, 3);
});

test('client: a call without an answer times out as a lost connection', async () => {
  answers = [() => undefined];
  let attempts = 0;
  const fetch: ClientOptions['fetch'] = (url, init) => {
    attempts += 1;
    return globalThis.fetch(url, init);
  };
  const client = open({ fetch, retry: { attempts: 2, backoffMs: 1, timeoutMs: 50 } });
  const failure = await failureOf(client.request('GET /projects'));
  ok(failure instanceof NetworkFailure);
  match(failure.message, /^GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/projects: no response within 0\.05 s$/);
  equal(attempts, 2);
});

test('client: an aborted call rejects with the reason of its signal, while waiting too', async () => {
  answers = [refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '30' })];
  const reason = new Error('the page was left');
  const controller = new AbortController();
  const call = failureOf(open().request('GET /projects', { signal: controller.signal }));
  setTimeout(() => controller.abort(reason), 50);
  equal(await call, reason);
});

test('client: a list reads page after page, as it is consumed', async () => {
  const page = (ids: number[], nextCursor: string | null): Respond =>
    json(200, { success: true, data: ids.map((id) => ({ id })), pagination: { nextCursor, hasMore: nextCursor !== null } });
  answers = [page([1, 2], 'c1'), page([3], 'c2'), cut, page([4], null)];
  const ids: unknown[] = [];
  for await (const { id } of open().list('GET /backups', { query: { status: 'completed', limit: 2 } })) {
    if (ids.length === 0) equal(calls.length, 1);
    ids.push(id);
  }
  deepEqual(ids, [1, 2, 3, 4]);
  deepEqual(
    calls.map(({ url }) => url.split('?')[1]),
    ['status=completed&limit=2', 'c1', 'c2', 'c2'].map((q, n) => (n === 0 ? q : `status=completed&limit=2&cursor=${q}`)),
  );
  answers = [page([1], 'c1')];
  const { pagination } = await open().page('GET /backups');
  deepEqual(pagination, { nextCursor: 'c1', hasMore: true });
});

test('client: waiting survives lost connections and a busy service, and reports progress', async () => {
  answers = [
    success(backup('pending')),
    ...[cut, cut, refusal(500, 'INTERNAL_ERROR'), refusal(429, 'RATE_LIMITED')],
    success(backup('running', 40)),
    success(backup('failed', 40)),
  ];
  const seen: string[] = [];
  const client = open({ retry: { attempts: 1 } });
  const ended = await client.waitFor('backup', 'bkp_1', { intervalMs: 1, onProgress: ({ status }) => seen.push(status) });
  equal(ended.status, 'failed');
  deepEqual(seen, ['pending', 'running', 'failed']);
});

test('client: waiting ends when the job is gone, when the condition holds, or when it is aborted', async () => {
  answers = [refusal(404, 'RESTORE_NOT_FOUND')];
  await rejects(open().waitFor('restore', 'rst_1'), { code: 'RESTORE_NOT_FOUND' });
  answers = [success(backup('completed')), success({ ...backup('completed'), verifiedAt: 'now' })];
  const { verifiedAt } = await open().waitFor('backup', 'b', { intervalMs: 1, until: (job) => job.verifiedAt !== undefined });
  equal(verifiedAt, 'now');
  answers = [success(backup('running'))];
  await rejects(open().waitFor('backup', 'b', { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
});

test('client: a session that ended is renewed once for all waiting calls, which are then repeated', async () => {
  let token = 'old';
  let renewals = 0;
  answers = [
    (response, { headers }) =>
      (headers.authorization === 'Bearer new' ? success([]) : refusal(401, 'UNAUTHORIZED'))(response, calls[0] as Seen),
  ];
  const onUnauthorized = async () => {
    renewals += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    token = 'new';
    return true;
  };
  const client = open({ token: () => token, onUnauthorized });
  await Promise.all([client.request('GET /projects'), client.request('GET /webhooks'), client.request('GET /backups')]);
  equal(renewals, 1);
});

test('client: a 401 of a call that was sent before a renewal does not renew again', async () => {
  let renewals = 0;
  let isRenewed = false;
  const slow: Respond = (response) => setTimeout(() => refusal(401, 'UNAUTHORIZED')(response, calls[0] as Seen), 200);
  answers = [slow, (response) => (isRenewed ? success([]) : refusal(401, 'UNAUTHORIZED'))(response, calls[0] as Seen)];
  const client = open({
    onUnauthorized: () => {
      renewals += 1;
      isRenewed = true;
      return true;
    },
  });
  const first = client.request('GET /projects');
  while (calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await client.request('GET /webhooks');
  deepEqual(await first, []);
  equal(renewals, 1);
});

test('client: a session that cannot be renewed is reported, and renewing does not renew', async () => {
  let renewals = 0;
  const client: Client = open({
    onUnauthorized: () => {
      renewals += 1;
      return client.request('POST /auth/refresh').then(
        () => true,
        () => false,
      );
    },
  });
  answers = [refusal(401, 'UNAUTHORIZED')];
  await rejects(client.request('GET /projects'), { status: 401 });
  equal(renewals, 1);
  equal(calls.length, 2);
});

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

type Same<A, B> = [A, B] extends [B, A] ? true : false;

test('client: inputs and data have the types of the contract', () => {
  const types: true[] = [
    true satisfies Same<DataOf<'GET /backups/{backupId}'>['status'], DataOf<'GET /backups'>[number]['status']>,
    true satisfies Same<InputOf<'GET /backups/{backupId}'>['params'], { readonly backupId: string }>,
    true satisfies Same<DataOf<'GET /health'>['status'], 'healthy' | 'degraded'>,
    true satisfies Same<DataOf<'DELETE /webhooks/{webhookId}'>, { readonly message: string }>,
    // Defaults are optional in requests.
    true satisfies Same<InputOf<'POST /backups'>['body']['type'], 'full' | 'incremental' | undefined>,
    // A path outside of a row has no type.
    true satisfies Same<'GET /auth/google' extends Parameters<Client['request']>[0] ? true : false, false>,
  ];
  ok(types.every(Boolean));
});

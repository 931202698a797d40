import assert from 'node:assert/strict';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Listener, listen } from '../../../../infra/local/base/loopback-server.ts';
import { headersReadBytes, makeGateway } from '../../../../infra/local/gateway/gateway.ts';
import type { Route } from '../../../../infra/local/gateway/routes.ts';
import { FunctionError } from '../../../../infra/local/lambda/function-spec.ts';

const route = (key: string, functionArn = key, more: Partial<Route> = {}): Route => ({
  key,
  functionArn,
  credentialsArn: 'role',
  timeoutMs: 300,
  ...more,
});

const routes = [
  route('GET /items'),
  route('POST /items'),
  route('GET /items/current'),
  route('GET /items/{id}'),
  route('GET /files/{path+}'),
  route('GET /files/{path}/info'),
  route('POST /items/{id}/recover'),
  route('GET /forbidden', 'access denied'),
  route('GET /fails'),
  route('$default'),
];

/** The behaviour of the functions; set by tests. */
let respond: (event: APIGatewayProxyEventV2) => unknown;
let whenBundled: () => Promise<void> | undefined = () => undefined;
let gateway: Listener;

const makeListener = () =>
  makeGateway({
    api: { id: 'api', account: '123456789012' },
    routes,
    cors: {
      AllowOrigins: ['https://app.example.com'],
      AllowMethods: ['GET', 'POST'],
      AllowHeaders: ['authorization'],
      ExposeHeaders: ['x-request-id'],
      AllowCredentials: true,
      MaxAge: 600,
    },
    permit: (role, { service }, { action, resources: [resource = ''] }) => {
      const isGranted = action === 'lambda:InvokeFunction' && /^(GET |POST |\$default)/.test(resource);
      if (role !== 'role' || service !== 'apigateway.amazonaws.com' || !isGranted) throw new Error('AccessDenied');
    },
    invoke: async (_arn, event) => respond(event as APIGatewayProxyEventV2),
    whenBundled: () => whenBundled(),
    page: (path) => (path === '/_local/page' ? { status: 200, headers: {}, body: Buffer.from('page') } : undefined),
  });

beforeAll(async () => {
  gateway = await listen(0, { variable: 'PORT', handler: makeListener(), options: { maxHeaderSize: headersReadBytes } });
});
afterAll(() => gateway.stop());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

const send = (method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: Buffer | string): Promise<Answer> =>
  new Promise((done, fail) => {
    const sent = request({ port: gateway.port, host: '127.0.0.1', method, path, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        done({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts).toString() });
      });
      answer.on('error', fail);
    });
    sent.on('error', fail).end(body);
  });

/** The event of a request. */
const eventOf = async (...call: Parameters<typeof send>): Promise<APIGatewayProxyEventV2> => {
  let seen: APIGatewayProxyEventV2 | undefined;
  respond = (event) => {
    seen = event;
    return { statusCode: 200 };
  };
  await send(...call);
  assert.ok(seen, 'no function was invoked');
  return seen;
};

const codeOf = ({ body }: Answer): unknown => {
  const { success, error } = JSON.parse(body) as { success: boolean; error: { code: string; requestId: string } };
  assert.equal(success, false);
  assert.match(error.requestId, /./);
  return error.code;
};

describe('routing', () => {
  const cases: readonly (readonly [string, string, string, Record<string, string>?])[] = [
    ['GET', '/items', 'GET /items'],
    ['GET', '/items?x=1', 'GET /items'],
    ['GET', '/items/abc', 'GET /items/{id}', { id: 'abc' }],
    ['GET', '/files/a', 'GET /files/{path+}', { path: 'a' }],
    ['GET', '/files/a/b/c.js', 'GET /files/{path+}', { path: 'a/b/c.js' }],
    ['GET', '/files/a/info', 'GET /files/{path}/info', { path: 'a' }],
    ['GET', '/items/current', 'GET /items/current'],
    ['POST', '/items/current/recover', 'POST /items/{id}/recover', { id: 'current' }],
    ['GET', '/items/a%20b%C3%A9', 'GET /items/{id}', { id: 'a bé' }],
    ['GET', '/it%65ms', 'GET /items'],
    ['GET', '/items/', '$default'],
    ['GET', '//items', '$default'],
    ['GET', '/Items', '$default'],
    ['GET', '/items/a%2Fb', '$default'],
    ['GET', '/items/../items', '$default'],
    ['DELETE', '/items', '$default'],
    ['HEAD', '/items', '$default'],
    ['OPTIONS', '/items', '$default'],
    ['GET', '/_local/nothing', '$default'],
  ];
  for (const [method, path, key, params] of cases) {
    test(`${method} ${path} goes to ${key}`, async () => {
      const event = await eventOf(method, path);
      assert.equal(event.routeKey, key);
      assert.deepEqual(event.pathParameters, params);
    });
  }

  test('an invalidly encoded path is rejected', async () => {
    for (const path of ['/items/%zz', '/%', '/items/%ff']) {
      const answer = await send('GET', path);
      assert.equal(answer.status, 400);
      assert.equal(codeOf(answer), 'VALIDATION_ERROR');
    }
  });
  test("the stage's own pages precede all routes", async () => assert.equal((await send('GET', '/_local/page')).body, 'page'));
});

describe('the event', () => {
  test('joins the values of a repeated header, also Authorization', async () => {
    const { headers } = await eventOf('GET', '/items', {
      'X-Organization-Id': ['org_a', 'org_b'],
      Authorization: ['Bearer one', 'Bearer two'],
    });
    assert.equal(headers['x-organization-id'], 'org_a,org_b');
    assert.equal(headers.authorization, 'Bearer one,Bearer two');
  });
  test('has cookies separately from the headers', async () => {
    const event = await eventOf('GET', '/items', { Cookie: 'a=1; b=x=y' });
    assert.deepEqual(event.cookies, ['a=1', 'b=x=y']);
    assert.equal(event.headers.cookie, undefined);
  });
  test('has the raw query, and parameters joined by name', async () => {
    const event = await eventOf('GET', '/items?a=1&a=2&b=%C3%A9&c');
    assert.equal(event.rawQueryString, 'a=1&a=2&b=%C3%A9&c');
    assert.deepEqual(event.queryStringParameters, { a: '1,2', b: 'é', c: '' });
  });
  test('has the source of the call', async () => {
    const { requestContext, version, rawPath } = await eventOf('GET', '/items', { 'User-Agent': 'probe' });
    assert.equal(version, '2.0');
    assert.equal(rawPath, '/items');
    assert.equal(requestContext.http.method, 'GET');
    assert.equal(requestContext.http.sourceIp, '127.0.0.1');
    assert.equal(requestContext.http.userAgent, 'probe');
    assert.match(requestContext.requestId, /./);
    assert.match(requestContext.time, /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
    assert.ok(Math.abs(Date.now() - requestContext.timeEpoch) < 60_000);
  });
  test('has JSON as text', async () => {
    const event = await eventOf('POST', '/items', { 'Content-Type': 'application/json' }, '{"a":"é"}');
    assert.equal(event.body, '{"a":"é"}');
    assert.equal(event.isBase64Encoded, false);
  });
  test('has invalid UTF-8 as base64, whatever the content type', async () => {
    const bytes = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    const event = await eventOf('POST', '/items', { 'Content-Type': 'application/json' }, bytes);
    assert.equal(event.isBase64Encoded, true);
    assert.deepEqual(Buffer.from(event.body ?? '', 'base64'), bytes);
  });
  test('has other content types as base64', async () => {
    const event = await eventOf('POST', '/items', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=1');
    assert.equal(Buffer.from(event.body ?? '', 'base64').toString(), 'a=1');
    assert.equal(event.isBase64Encoded, true);
  });
  test('has no body if none was sent', async () => {
    const event = await eventOf('POST', '/items');
    assert.equal(event.body, undefined);
    assert.equal(event.isBase64Encoded, false);
  });
});

describe("the function's response", () => {
  const answerTo = (result: unknown): Promise<Answer> => {
    respond = () => result;
    return send('GET', '/items');
  };
  test('becomes status, headers, cookies and body', async () => {
    const answer = await answerTo({ statusCode: 201, headers: { 'X-A': 'b' }, cookies: ['a=1', 'b=2'], body: 'é' });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['x-a'], 'b');
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
    assert.equal(answer.headers['content-length'], '2');
    assert.equal(answer.body, 'é');
  });
  test('is decoded from base64', async () =>
    assert.equal((await answerTo({ statusCode: 200, body: 'aGk=', isBase64Encoded: true })).body, 'hi'));
  test('without statusCode is the body itself', async () => {
    const answer = await answerTo({ a: 1 });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.body, '{"a":1}');
  });
  test('has no body with 204', async () => {
    const answer = await answerTo({ statusCode: 204, body: '' });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['content-length'], undefined);
  });
  for (const [name, result] of [
    ['with an invalid status', { statusCode: 'soon' }],
    ['with a header HTTP cannot carry', { statusCode: 200, headers: { location: 'a\r\nset-cookie: b=1' } }],
  ] as const) {
    test(`${name} is a 500 in the error envelope`, async () => {
      const answer = await answerTo(result);
      assert.equal(answer.status, 500);
      assert.equal(codeOf(answer), 'INTERNAL_ERROR');
      assert.equal(answer.headers['set-cookie'], undefined);
    });
  }
});

describe('refusals of the gateway', () => {
  test('a function that throws or crashes is a 500', async () => {
    for (const reason of ['threw', 'crashed'] as const) {
      respond = () => Promise.reject(new FunctionError(reason, 'TypeError', 'a secret detail'));
      const answer = await send('GET', '/fails');
      assert.equal(answer.status, 500);
      assert.equal(codeOf(answer), 'INTERNAL_ERROR');
      assert.doesNotMatch(answer.body, /secret detail/);
    }
  });
  test('the time for bundling a function is not that of the integration', async (t) => {
    t.onTestFinished(() => {
      whenBundled = () => undefined;
    });
    whenBundled = () => pause(400, undefined);
    respond = () => ({ statusCode: 200, body: 'late' });
    assert.equal((await send('GET', '/items/current')).status, 200);
    whenBundled = () => Promise.reject(new Error('no such file'));
    respond = () => Promise.reject(new FunctionError('crashed', 'ServiceUnavailable', 'not bundled'));
    assert.equal((await send('GET', '/items/current')).status, 500);
  });
  test('a function that times out, or a slow integration, is a 503', async () => {
    respond = () => Promise.reject(new FunctionError('timed-out', 'Sandbox.Timedout', 'late'));
    assert.equal((await send('GET', '/fails')).status, 503);
    respond = () => new Promise(() => {});
    const answer = await send('GET', '/fails');
    assert.equal(answer.status, 503);
    assert.equal(codeOf(answer), 'SERVICE_UNAVAILABLE');
  });
  test('a route whose role may not invoke its function is a 500, as on AWS', async () => {
    respond = () => assert.fail('the function was invoked');
    assert.equal((await send('GET', '/forbidden')).status, 500);
  });
  test('a body over 10 MB is a 413, with or without content-length', async () => {
    respond = () => assert.fail('the function was invoked');
    const body = Buffer.alloc(10_000_001);
    for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
      const answer = await send('POST', '/items', headers, body);
      assert.equal(answer.status, 413);
      assert.equal(codeOf(answer), 'PAYLOAD_TOO_LARGE');
    }
  });
  test('headers over the limit are rejected, and the next call is served', async () => {
    const answer = await send('GET', '/items', { authorization: `Bearer ${'x'.repeat(100_000)}` });
    assert.equal(answer.status, 401);
    assert.equal(codeOf(answer), 'UNAUTHORIZED');
    const other = await send('GET', '/items', { 'x-large': 'x'.repeat(100_000) });
    assert.equal(other.status, 431);
    assert.equal(codeOf(other), 'PAYLOAD_TOO_LARGE');
    await eventOf('GET', '/items');
  });
});

describe('CORS', () => {
  const preflight = (origin: string) => send('OPTIONS', '/items', { origin, 'access-control-request-method': 'POST' });
  test('a preflight is answered by the $default route, as on AWS, with the configured headers', async () => {
    respond = () => ({ statusCode: 204, headers: { 'access-control-allow-origin': '*' } });
    const { status, headers } = await preflight('https://app.example.com');
    assert.equal(status, 204);
    assert.equal(headers['access-control-allow-origin'], 'https://app.example.com');
    assert.equal(headers['access-control-allow-methods'], 'GET,POST');
    assert.equal(headers['access-control-allow-headers'], 'authorization');
    assert.equal(headers['access-control-allow-credentials'], 'true');
    assert.equal(headers['access-control-max-age'], '600');
  });
  test('another origin gets no headers', async () => {
    const { headers } = await preflight('https://app.example.com.evil.io');
    assert.equal(headers['access-control-allow-origin'], undefined);
  });
  test('other responses get the headers, too, from the gateway only', async () => {
    respond = () => ({ statusCode: 200, headers: { 'access-control-allow-origin': '*' } });
    const ours = await send('GET', '/items', { origin: 'https://app.example.com' });
    assert.equal(ours.headers['access-control-allow-origin'], 'https://app.example.com');
    assert.equal(ours.headers['access-control-expose-headers'], 'x-request-id');
    const foreign = await send('GET', '/items', { origin: 'https://evil.io' });
    assert.equal(foreign.headers['access-control-allow-origin'], undefined);
  });
});

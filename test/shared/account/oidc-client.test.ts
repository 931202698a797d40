import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createHash, createSign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, test, vi } from 'vitest';
import { type Login, nonceOf } from '../../../shared/account/login-attempt.ts';
import { authorizationUrl, identify } from '../../../shared/account/oidc-client.ts';
import { ApiError, type ErrorCode } from '../../../shared/contract/errors.ts';
import { log } from '../../../shared/platform/index.ts';
import { newKey, startAws } from '../../harness/aws/kms-and-secrets.ts';

/** An issuer whose responses each test defines. */
const key = newKey();
const stranger = newKey();
const login: Login = { state: 's'.repeat(43), verifier: 'v'.repeat(43) };
const callbackUrl = 'https://api.example.com/api/v1/auth/google/callback';
const canary = 'provider-secret-canary';

const logged = vi.spyOn(log, 'error').mockImplementation(() => undefined);

let issuer = '';
let tokenRequests: URLSearchParams[] = [];
let seen: string[] = [];
let script: {
  claims?: object;
  header?: object;
  signedBy?: typeof key;
  tokens?: object;
  token?: (response: ServerResponse) => void;
  userinfo?: object;
} = {};

const json = (response: ServerResponse, body: object, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const idToken = () => {
  const now = Math.floor(Date.now() / 1_000);
  const standard = { iss: issuer, sub: 'subject-1', aud: 'client', iat: now, exp: now + 300, nonce: nonceOf(login) };
  const profile = { email: 'Ada@Example.com', email_verified: true, name: 'Ada', picture: 'https://example.com/a.png' };
  const text = [
    { alg: 'RS256', kid: 'k', ...script.header },
    { ...standard, ...profile, ...script.claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const { privateKey } = script.signedBy ?? key;
  return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
};

const server = createServer(async (request, response) => {
  const path = request.url ?? '';
  seen.push(path);
  if (path === '/.well-known/openid-configuration') {
    return json(response, {
      issuer,
      authorization_endpoint: `${issuer}/authorize?tenant=1`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/me`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
  }
  if (path === '/jwks') {
    return json(response, { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] });
  }
  if (path === '/me') return json(response, script.userinfo ?? {});
  tokenRequests.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()));
  if (script.token) return script.token(response);
  const tokens = { access_token: canary, token_type: 'Bearer', expires_in: 3_600, id_token: idToken() };
  return json(response, { ...tokens, refresh_token: 'refresh-1', scope: 'openid email', ...script.tokens });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
await startAws({}, 'client secret & more');
Object.assign(process.env, { IDENTITY_ISSUER: issuer, IDENTITY_CLIENT_ID: 'client', IDENTITY_SECRET_ID: 'secret' });

beforeEach(() => {
  script = {};
  tokenRequests = [];
  seen = [];
});

const answer = (more: Record<string, string> = {}) => new URLSearchParams({ state: login.state, code: 'code-1', ...more });
const refusedAs = (code: ErrorCode, parameters = answer()) =>
  rejects(identify(parameters, login, callbackUrl), (error) => {
    ok(error instanceof ApiError);
    equal(error.code, code);
    // The provider's response is neither in the error nor in the log.
    ok(!JSON.stringify(logged.mock.calls).includes(canary));
    ok(!`${error.message}${JSON.stringify(error.details)}${error.stack}`.includes(canary));
    equal(error.cause, undefined);
    return true;
  });

test('authorizationUrl: it has state, nonce, an S256 challenge and all six scopes, but not the verifier', async () => {
  const url = new URL(await authorizationUrl(login, callbackUrl, 'ada@example.com'));
  equal(`${url.origin}${url.pathname}`, `${issuer}/authorize`);
  const { scope, ...rest } = Object.fromEntries(url.searchParams);
  deepEqual(rest, {
    tenant: '1',
    client_id: 'client',
    response_type: 'code',
    redirect_uri: callbackUrl,
    state: login.state,
    nonce: nonceOf(login),
    code_challenge: createHash('sha256').update(login.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
    login_hint: 'ada@example.com',
  });
  match(scope!, /^openid email profile \S+cloudplatformprojects \S+cloud-platform \S+datastore$/);
  ok(!url.href.includes(login.verifier));
});

test('identify: the code is exchanged with the client secret and the verifier for the identity', async () => {
  deepEqual(await identify(answer({ authuser: '0', hd: 'example.com' }), login, callbackUrl), {
    issuer,
    subject: 'subject-1',
    profile: { email: 'Ada@Example.com', emailVerified: true, name: 'Ada', picture: 'https://example.com/a.png' },
    refreshToken: 'refresh-1',
    scopes: ['openid', 'email'],
  });
  deepEqual(Object.fromEntries(tokenRequests[0]!), {
    grant_type: 'authorization_code',
    code: 'code-1',
    redirect_uri: callbackUrl,
    code_verifier: login.verifier,
    client_id: 'client',
    client_secret: 'client secret & more',
  });
});

test('identify: the metadata of the provider is fetched once', async () => {
  await identify(answer(), login, callbackUrl);
  seen = [];
  await identify(answer(), login, callbackUrl);
  deepEqual(seen, ['/token']);
});

test('identify: without an e-mail address in the ID token the profile is read from the userinfo endpoint', async () => {
  script = { claims: { email: undefined, name: undefined }, userinfo: { sub: 'subject-1', email: 'b@example.com', name: 'B' } };
  const { profile } = await identify(answer(), login, callbackUrl);
  deepEqual([profile.email, profile.name, profile.emailVerified], ['b@example.com', 'B', false]);
  script = { claims: { email: undefined }, userinfo: { sub: 'someone-else', email: 'b@example.com' } };
  await refusedAs('SERVICE_UNAVAILABLE');
});

test('identify: a response without a scope means all requested scopes', async () => {
  script = { tokens: { refresh_token: undefined, scope: undefined } };
  const { refreshToken, scopes } = await identify(answer(), login, callbackUrl);
  equal(refreshToken, undefined);
  equal(scopes.length, 6);
});

for (const [what, set] of [
  ['another nonce', { claims: { nonce: 'other' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['another audience', { claims: { aud: 'other-client' } }],
  ['another issuer', { claims: { iss: 'https://evil.example.com' } }],
  ['an expiry in the past', { claims: { exp: 1_000 } }],
  ['no expiry', { claims: { exp: undefined } }],
  ['no subject', { claims: { sub: undefined } }],
  ['a signature of another key', { signedBy: stranger }],
  ['a key id that was not published', { header: { kid: 'unknown' } }],
  ['alg none', { header: { alg: 'none' } }],
  ['alg HS256', { header: { alg: 'HS256' } }],
  ['an unknown crit header', { header: { crit: ['x'], x: 1 } }],
  ['no e-mail address', { claims: { email: null } }],
] as const) {
  test(`identify: an ID token with ${what} is refused`, async () => {
    script = set;
    await refusedAs('UNAUTHORIZED');
  });
}

test('identify: a response without an ID token is refused', async () => {
  script = { tokens: { id_token: undefined } };
  await refusedAs('UNAUTHORIZED');
});

for (const parameters of [
  { error: 'access_denied' },
  { error: 'access_denied', error_description: canary },
  { error: 'server_error' },
  { iss: 'https://evil.example.com' },
  { response: 'x.y.z' },
  { id_token: 'x.y.z' },
]) {
  test(`identify: the callback parameters ${JSON.stringify(parameters)} are refused without a token request`, async () => {
    await refusedAs('UNAUTHORIZED', answer(parameters as unknown as Record<string, string>));
    equal(tokenRequests.length, 0);
  });
}

for (const [error, status, code] of [
  ['invalid_grant', 400, 'UNAUTHORIZED'],
  ['invalid_request', 400, 'UNAUTHORIZED'],
  ['invalid_client', 401, 'SERVICE_UNAVAILABLE'],
  ['server_error', 500, 'SERVICE_UNAVAILABLE'],
  ['slow_down', 429, 'SERVICE_UNAVAILABLE'],
] as const) {
  test(`identify: the provider's ${error} with status ${status} is ${code}`, async () => {
    script = { token: (response) => json(response, { error, error_description: canary }, status) };
    await refusedAs(code);
  });
}

for (const [what, token] of [
  ['an error page', (response: ServerResponse) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad</h1>')],
  ['a page with status 200', (response: ServerResponse) => response.setHeader('content-type', 'text/html').end('<h1>Hi</h1>')],
  ['half a document', (response: ServerResponse) => response.setHeader('content-type', 'application/json').end('{"access')],
  ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: 'https://evil.example.com' }).end()],
  ['a challenge', (response: ServerResponse) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()],
  ['a dropped connection', (response: ServerResponse) => response.destroy()],
] as const) {
  test(`identify: ${what} instead of tokens is SERVICE_UNAVAILABLE`, async () => {
    script = { token };
    await refusedAs('SERVICE_UNAVAILABLE');
  });
}

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Listener, listen } from '../../../../../infra/local/base/loopback-server.ts';
import { openState, type State } from '../../../../../infra/local/base/stage-state.ts';
import { type Identity, startIdentity } from '../../../../../infra/local/engines/identity/identity-engine.ts';

const dir = mkdtempSync(join(tmpdir(), 'identity-'));
const redirectUri = 'http://localhost:3000/api/v1/auth/google/callback';
const datastore = 'https://www.googleapis.com/auth/datastore';
const scope = `openid email profile https://www.googleapis.com/auth/cloudplatformprojects https://www.googleapis.com/auth/cloud-platform ${datastore}`;
const client = { client_id: 'local-stage', client_secret: 'shh' };

let server: Listener;
let state: State;
let identity: Identity;

const start = async (): Promise<void> => {
  state = openState(dir);
  const options = { clientId: client.client_id, clientSecret: client.client_secret, redirectUri, signInUrl: redirectUri, state };
  const callerIdentity = () => ({ arn: '', account: '' });
  identity = await startIdentity({ ...options, issuer: server.url, callerIdentity });
};
beforeAll(async () => {
  server = await listen(0, { variable: 'IDP_PORT', handler: (request, response) => identity.listener(request, response) });
  await start();
});
afterAll(async () => {
  await server.stop();
  state.close();
  rmSync(dir, { recursive: true });
});

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

const authorize = (more: Record<string, string | undefined> = {}, init: RequestInit = {}): Promise<Response> => {
  const parameters = {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    state: 'the-state',
    nonce: 'the-nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
    include_granted_scopes: 'true',
    ...more,
  };
  const query = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return fetch(`${server.url}/auth?${query}`, { redirect: 'manual', ...init });
};

/** The redirect target of a response. */
const landing = (answer: Response): URL => {
  const location = answer.headers.get('location');
  assert.ok(location, `${answer.status} instead of a redirect`);
  return new URL(location, server.url);
};

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token: string;
  readonly scope: string;
  readonly error?: string;
}

const tokens = async (form: Record<string, string>): Promise<{ status: number; body: Tokens }> => {
  const answer = await fetch(`${server.url}/token`, { method: 'POST', body: new URLSearchParams({ ...client, ...form }) });
  return { status: answer.status, body: (await answer.json()) as Tokens };
};
const exchange = (answer: Response, more: Record<string, string> = {}) => {
  const code = landing(answer).searchParams.get('code') ?? '';
  return tokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, ...more });
};
const claimsOf = ({ body }: { body: Tokens }): Record<string, unknown> =>
  JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString());
const signIn = async (login_hint: string, more = {}) => exchange(await authorize({ login_hint, ...more }));

describe('the identity provider', () => {
  test('publishes its configuration under its issuer', async () => {
    const answer = await fetch(`${server.url}/.well-known/openid-configuration`);
    const metadata = (await answer.json()) as Record<string, unknown>;
    assert.equal(metadata.issuer, server.url);
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
      assert.ok(String(metadata[name]).startsWith(`${server.url}/`), name);
    }
  });

  test('with login_hint redirects in the first response, without cookies', async () => {
    const answer = await authorize({ login_hint: 'ada@example.com' });
    const url = landing(answer);
    assert.equal(url.origin + url.pathname, redirectUri);
    assert.equal(url.searchParams.get('state'), 'the-state');
    assert.match(url.searchParams.get('code') ?? '', /./);
    assert.deepEqual(answer.headers.getSetCookie(), []);
  });

  test('identifies the user in the ID token', async () => {
    const claims = claimsOf(await signIn('ada@example.com'));
    assert.equal(claims.iss, server.url);
    assert.equal(claims.aud, client.client_id);
    assert.equal(claims.nonce, 'the-nonce');
    assert.equal(claims.email, 'ada@example.com');
    assert.equal(claims.email_verified, true);
    assert.equal(claims.name, 'Ada');
    assert.match(String(claims.picture), /^https:/);
    assert.match(String(claims.sub), /^\d{21}$/);
  });

  test('keeps the subject when name and address change', async () => {
    const before = claimsOf(await signIn('Old.Name@Example.com'));
    identity.people.change('old.name@example.com', { email: 'new@example.com', name: 'New Name' });
    const after = claimsOf(await signIn('new@example.com'));
    assert.equal(after.sub, before.sub);
    assert.equal(after.name, 'New Name');
    const other = claimsOf(await signIn('old.name@example.com'));
    assert.notEqual(other.sub, before.sub, 'creates another user for a released address');
  });

  test('lets a test change a user over HTTP', async () => {
    const answer = await fetch(`${server.url}/people/grace%40example.com`, { method: 'PUT', body: '{"name":"Rear Admiral"}' });
    assert.equal(answer.status, 200);
    assert.equal(claimsOf(await signIn('grace@example.com')).name, 'Rear Admiral');
  });

  test('keeps look-alike characters in addresses, which clients must refuse', async () => {
    const claims = claimsOf(await signIn('\u212Aevin@Example.com'));
    assert.equal(claims.email, '\u212Aevin@example.com');
  });
  test('marks unverified addresses', async () =>
    assert.equal(claimsOf(await signIn('unverified.someone@example.com')).email_verified, false));

  test('issues a reusable refresh token for offline access', async () => {
    const { body } = await signIn('ada@example.com');
    for (let n = 0; n < 2; n++) {
      const again = await tokens({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' });
      assert.equal(again.status, 200);
      assert.match(again.body.access_token, /./);
    }
  });
  test('issues none without offline access', async () =>
    assert.equal((await signIn('ada@example.com', { access_type: undefined })).body.refresh_token, undefined));

  test('accepts the prompts Google accepts', async () => {
    for (const prompt of [undefined, 'select_account', 'select_account consent']) {
      assert.equal((await signIn('ada@example.com', { prompt })).status, 200, prompt);
    }
  });

  test('grants all requested scopes', async () =>
    assert.deepEqual((await signIn('ada@example.com')).body.scope.split(' ').sort(), scope.split(' ').sort()));

  test('rejects a reused code, a wrong verifier, a wrong secret, and a sign-in without PKCE', async () => {
    const answer = await authorize({ login_hint: 'ada@example.com' });
    assert.equal((await exchange(answer)).status, 200);
    assert.equal((await exchange(answer)).body.error, 'invalid_grant');
    const fresh = () => authorize({ login_hint: 'ada@example.com' });
    assert.equal((await exchange(await fresh(), { code_verifier: `${verifier}x` })).body.error, 'invalid_grant');
    assert.equal((await exchange(await fresh(), { client_secret: 'wrong' })).body.error, 'invalid_client');
    const without = await authorize({
      login_hint: 'ada@example.com',
      code_challenge: undefined,
      code_challenge_method: undefined,
    });
    assert.equal(landing(without).searchParams.get('error'), 'invalid_request');
  });

  test('never redirects to an unregistered address', async () => {
    const answer = await authorize({ login_hint: 'ada@example.com', redirect_uri: 'https://evil.io/callback' });
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('location'), null);
  });

  test('keeps users, keys and refresh tokens across restarts', async () => {
    const { body } = await signIn('remembered@example.com');
    const { sub } = claimsOf({ body });
    const keys = async () => (await fetch(`${server.url}/jwks`)).text();
    const before = await keys();
    state.close();
    await start();
    assert.equal(await keys(), before);
    assert.equal(claimsOf(await signIn('remembered@example.com')).sub, sub);
    assert.equal((await tokens({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' })).status, 200);
  });
});

describe('the page', () => {
  /** A browser with cookies. */
  const browser = () => {
    const jar = new Map<string, string>();
    return async (url: URL | string, form?: URLSearchParams): Promise<Response> => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie }, ...(form && { method: 'POST', body: form }) });
      for (const set of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
        jar.set(name, value);
      }
      return answer;
    };
  };
  /** Opens the page in a browser and submits a form. */
  const choose = async (form: Record<string, string>): Promise<Response> => {
    const open = browser();
    const first = await authorize();
    // The browser that started must present its cookies.
    const begun = await open(first.url);
    const pageUrl = landing(begun);
    assert.equal((await open(pageUrl)).status, 200);
    const resume = await open(pageUrl, new URLSearchParams(form));
    return resume.status === 303 ? open(landing(resume)) : resume;
  };

  test('lists the users', async () => {
    const open = browser();
    const text = await (await open(landing(await open((await authorize()).url)))).text();
    for (const email of ['ada@example.com', 'grace@example.com', 'unverified@example.com'])
      assert.ok(text.includes(email), email);
    assert.match(text, /address not verified/);
  });
  test('signs in the chosen user, also a new one', async () => {
    const done = await choose({ email: 'somebody@example.org' });
    assert.equal(claimsOf(await exchange(done)).email, 'somebody@example.org');
  });
  test('lets a user deny access', async () => {
    const url = landing(await choose({ deny: 'yes' }));
    assert.equal(url.searchParams.get('error'), 'access_denied');
    assert.equal(url.searchParams.get('code'), null);
  });
  test('lets a user decline scopes, and the response lists what was granted', async () => {
    const done = await choose({ email: 'ada@example.com', chosen: 'yes', scope: datastore });
    assert.deepEqual((await exchange(done)).body.scope.split(' ').sort(), ['email', datastore, 'openid', 'profile'].sort());
  });
  test('rejects an invalid address', async () => assert.equal((await choose({ email: 'nobody' })).status, 400));
  test('escapes user names', async () => {
    identity.people.change('ada@example.com', { name: '<script>alert(1)</script>' });
    const text = await (await fetch(server.url)).text();
    assert.doesNotMatch(text, /<script>/);
  });
  test('answers malformed requests with a page', async () => {
    for (const path of ['/interaction/unknown', '/auth', '/auth/x', '/people/%zz', '/%zz', '/nothing']) {
      assert.ok((await fetch(server.url + path)).status >= 400, path);
    }
    assert.equal((await fetch(`${server.url}/people/a`, { method: 'PUT', body: '{' })).status, 400);
  });
});

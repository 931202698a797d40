/** Sign-in of apps: state, PKCE, the binding of codes, and errors that return to the app. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'vitest';
import { accountKey } from '../../../shared/account/index.ts';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { Browser, locationOf, newCode, onThePage } from '../../harness/stage/browser.ts';
import { api, call, stageUrl } from '../../harness/stage/client.ts';
import { newEmail } from '../../harness/stage/person.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const redirect_uri = 'http://localhost:51004/callback';
const grant_type = 'authorization_code';
const state = 'xyz &=?#/%20';
const verifier = randomBytes(48).toString('base64url');
const code_challenge = createHash('sha256').update(verifier).digest('base64url');
const pkce = { code_challenge, code_challenge_method: 'S256' };
const begin = (query: Record<string, string>) => api('GET', `${auth.google.path}?${new URLSearchParams(query)}`);

/** The parameters that the app receives. */
const returned = async (query: Record<string, string>): Promise<URLSearchParams> => {
  const answer = await new Browser().enter({ login_hint: newEmail(), redirect_uri, ...query });
  return new URL(locationOf(answer)).searchParams;
};
/** A code is valid for a minute; many calls of a busy machine take longer. */
const prolong = async (code: string | null): Promise<void> => {
  const key = accountKey.code(code ?? '');
  await putItem({ ...(await getItem(key))!, expiresAt: Math.floor(Date.now() / 1_000) + 600 });
};
const exchange = async (body: Record<string, unknown>) => {
  const answer = await call(auth.token, { body: { grant_type, ...body } });
  return {
    status: answer.status,
    code: answer.body.error?.code,
    field: answer.body.error?.details?.field,
    data: answer.body.data,
  };
};

test('auth.google: state returns with the code, unchanged', async () => {
  const parameters = await returned({ state });
  deepEqual([...parameters.keys()], ['code', 'state']);
  equal(parameters.get('state'), state);
});

test('auth.google: without state none is returned', async () => deepEqual([...(await returned({})).keys()], ['code']));

test('auth.token: a code with a challenge is exchanged with its verifier and redirect_uri', async () => {
  const code = (await returned({ ...pkce, state })).get('code');
  const { status, data } = await exchange({ code, code_verifier: verifier, redirect_uri });
  equal(status, 200);
  equal((await call(auth.me, { token: data.accessToken })).status, 200);
});

test('auth.token: a stolen code with a challenge is worthless without the verifier, and the app can still use it', async () => {
  const code = (await returned(pkce)).get('code');
  await prolong(code);
  deepEqual(await exchange({ code }), { status: 400, code: 'VALIDATION_ERROR', field: 'code_verifier', data: undefined });
  for (const code_verifier of ['x'.repeat(43), code_challenge, verifier.toLowerCase(), `${verifier}x`])
    equal((await exchange({ code, code_verifier })).code, 'UNAUTHORIZED', code_verifier);
  for (const code_verifier of ['', 'short', 'x'.repeat(129), `${verifier.slice(1)} `, 7, {}])
    deepEqual((await exchange({ code, code_verifier })).field, 'code_verifier');
  equal((await exchange({ code, code_verifier: verifier })).status, 200);
});

test('auth.token: without the verifier a replay does not end the session of the app; with it, it does', async () => {
  const code = (await returned(pkce)).get('code');
  const { data } = await exchange({ code, code_verifier: verifier });
  equal((await exchange({ code })).status, 400);
  equal((await exchange({ code, code_verifier: 'x'.repeat(43) })).status, 401);
  equal((await call(auth.me, { token: data.accessToken })).status, 200);
  equal((await exchange({ code, code_verifier: verifier })).status, 401);
  equal((await call(auth.me, { token: data.accessToken })).status, 401);
});

// PKCE downgrade: an attacker starts a sign-in without a challenge and injects its code into the app.
test('auth.token: a verifier for a code without a challenge is refused', async () => {
  const code = await newCode();
  equal((await exchange({ code, code_verifier: verifier })).code, 'UNAUTHORIZED');
  equal((await exchange({ code })).status, 200, 'apps without PKCE keep working');
});

test('auth.token: a code is refused with another redirect_uri than it was issued for', async () => {
  const code = (await returned({})).get('code');
  for (const other of ['https://app.example.com/callback', 'http://localhost:51005/callback', `${redirect_uri}?`, ''])
    equal((await exchange({ code, redirect_uri: other })).code, 'UNAUTHORIZED', other);
  equal((await exchange({ code, redirect_uri })).status, 200);
});

for (const [what, query, field] of [
  ['the method plain', { redirect_uri, code_challenge, code_challenge_method: 'plain' }, 'code_challenge_method'],
  ['the method s256', { redirect_uri, code_challenge, code_challenge_method: 's256' }, 'code_challenge_method'],
  ['a challenge without a method, which means plain', { redirect_uri, code_challenge }, 'code_challenge_method'],
  ['a method without a challenge', { redirect_uri, code_challenge_method: 'S256' }, 'code_challenge'],
  ['a challenge that is no digest', { redirect_uri, code_challenge: 'x', code_challenge_method: 'S256' }, 'code_challenge'],
  ['a challenge without redirect_uri', pkce, 'code_challenge'],
  ['state without redirect_uri', { state }, 'state'],
  ['a state with a line break', { redirect_uri, state: 'a\r\nlocation: x' }, 'state'],
  ['a state of 2 kB', { redirect_uri, state: 'x'.repeat(2_000) }, 'state'],
] as const)
  test(`auth.google: ${what} is refused by name, without a redirect`, async () => {
    const { status, body, headers } = await begin(query);
    deepEqual(
      { status, code: body.error.code, field: body.error.details.field },
      { status: 400, code: 'VALIDATION_ERROR', field },
    );
    equal(headers.get('location'), null);
    deepEqual(headers.getSetCookie(), []);
  });

test('auth.callback: a declined consent returns access_denied and state to the app', async () => {
  const browser = new Browser();
  const back = await onThePage(browser, new URLSearchParams({ deny: 'yes' }), { redirect_uri, state, ...pkce });
  const answer = await browser.go(back);
  equal(answer.status, 302);
  const url = new URL(locationOf(answer));
  equal(`${url.origin}${url.pathname}`, redirect_uri);
  deepEqual([url.searchParams.get('error'), url.searchParams.get('state')], ['access_denied', state]);
  ok(url.searchParams.get('error_description') && !url.searchParams.has('code'));
  equal(browser.cookie('bms_login'), undefined);
  equal((await browser.go(back)).status, 400, 'the sign-in is over');
});

test('auth.callback: an error may lack the issuer that the provider announces, a code may not', async () => {
  for (const [sent, error] of [
    ['error', 'access_denied'],
    ['code', 'server_error'],
  ] as const) {
    const browser = new Browser();
    const url = new URL(await browser.visitProvider({ login_hint: newEmail(), redirect_uri, state }));
    url.searchParams.delete('iss');
    if (sent === 'error') {
      url.searchParams.delete('code');
      url.searchParams.set('error', 'access_denied');
    }
    const { searchParams } = new URL(locationOf(await browser.go(url.href)));
    deepEqual([searchParams.get('error'), searchParams.get('state')], [error, state]);
  }
});

test('auth.callback: a code that the provider does not confirm returns server_error to the app', async () => {
  const browser = new Browser();
  const url = new URL(await browser.visitProvider({ login_hint: newEmail(), redirect_uri, state }));
  url.searchParams.set('code', 'made-up');
  const { searchParams } = new URL(locationOf(await browser.go(url.href)));
  deepEqual([searchParams.get('error'), searchParams.get('state')], ['server_error', state]);
});

// Login CSRF: the attacker's callback must not end in the victim's browser, and never reaches the app.
test('auth.callback: an error or a code for another browser is refused, and redirects nowhere', async () => {
  const attacker = new Browser();
  const back = await attacker.visitProvider({ login_hint: newEmail(), redirect_uri, state });
  const declined = `${back.replace(/code=[^&]*/, 'error=access_denied')}`;
  for (const url of [back, declined]) {
    const answer = await new Browser().go(url);
    deepEqual([answer.status, answer.headers.get('location')], [400, null]);
  }
});

const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test('sign-in errors are pages for a browser and JSON for other clients', async () => {
  for (const path of [
    `${auth.google.path}?redirect_uri=https%3A%2F%2Fevil.io%2F%3Cscript%3E`,
    `${auth.callback.path}?state=x&code=y`,
    '/api/v1/nowhere',
  ]) {
    const page = await fetch(`${stageUrl()}${path}`, { headers: html, redirect: 'manual' });
    match(page.headers.get('content-type') ?? '', /^text\/html/);
    match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    const text = await page.text();
    match(text, /^<!doctype html>/);
    ok(text.includes(page.headers.get('x-request-id')!) && !text.includes('<script'));
    const plain = await fetch(`${stageUrl()}${path}`, { redirect: 'manual' });
    equal(plain.status, page.status);
    equal(((await plain.json()) as { success: boolean }).success, false);
  }
});

test('a declined consent without an app leads a browser back to the sign-in page of the console', async () => {
  const browser = new Browser();
  const back = await onThePage(browser, new URLSearchParams({ deny: 'yes' }));
  const answer = await browser.go(back, { headers: html });
  equal(answer.status, 302);
  const to = new URL(answer.headers.get('location') ?? '', stageUrl());
  equal(to.pathname, '/console/sign-in');
  equal(to.searchParams.get('error'), 'access_denied');
});

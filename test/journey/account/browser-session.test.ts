import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { Browser, locationOf } from '../../harness/stage/browser.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';

const origin = 'https://app.example.com';
const at = (endpoint: { path: string }) => `${stageUrl()}${endpoint.path}`;
const post = (headers: Record<string, string>, body?: object): RequestInit => ({
  method: 'POST',
  headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  ...(body && { body: JSON.stringify(body) }),
});
const signedIn = async (email = newEmail()) => {
  const browser = new Browser();
  await browser.signIn(email);
  return browser;
};
const meOf = async (browser: Browser) => {
  const answer = await browser.go(at(auth.me));
  return { status: answer.status, body: (await answer.json()) as { data: { email: string } } };
};
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code;

test('browser session: without redirect_uri the callback sets the session cookies and redirects to the console', async () => {
  const browser = new Browser();
  const email = newEmail();
  const answer = await browser.signIn(email);
  equal(answer.status, 302);
  match(locationOf(answer), new RegExp(`^${stageUrl()}/`));
  const cookies = answer.headers.getSetCookie();
  equal(cookies.length, 3);
  const find = (name: string) => cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? '';
  match(find('__Host-bms_access'), /^__Host-bms_access=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/);
  match(
    find('__Host-bms_refresh'),
    /^__Host-bms_refresh=ses_\w{26}\.[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
  );
  match(find('bms_login'), /^bms_login=; .*Max-Age=0/);
  const me = await meOf(browser);
  deepEqual([me.status, me.body.data.email], [200, email]);
});

for (const [what, headers] of [
  ['no Origin', {}],
  ['a foreign Origin', { origin: 'https://evil.example.com' }],
  ['Origin null', { origin: 'null' }],
  ['an Origin that only begins like ours', { origin: `${origin}.evil.io` }],
  ['our Origin over http', { origin: 'http://app.example.com' }],
  ['two Origins', { origin: `${origin}, https://evil.example.com` }],
] as const) {
  test(`browser session: a write with cookies and ${what} is FORBIDDEN and changes nothing`, async () => {
    const browser = await signedIn();
    for (const [endpoint, body] of [
      [auth.logout, undefined],
      [auth.refresh, undefined],
      [organizations.create, { name: 'Forged' }],
    ] as const) {
      const answer = await browser.go(at(endpoint), post(headers, body));
      deepEqual([answer.status, await codeOf(answer)], [403, 'FORBIDDEN']);
      deepEqual(answer.headers.getSetCookie(), []);
    }
    equal((await meOf(browser)).status, 200);
  });
}

test('browser session: with an allowed or our own Origin, cookies work like tokens', async () => {
  const browser = await signedIn();
  equal((await browser.go(at(organizations.create), post({ origin }, { name: 'Mine' }))).status, 201);
  equal((await browser.go(at(organizations.create), post({ origin: stageUrl() }, { name: 'Mine too' }))).status, 201);
});

test('auth.refresh: the refresh cookie renews both cookies, and the body has no refresh token', async () => {
  const browser = await signedIn();
  const [access, refresh] = [browser.cookie('__Host-bms_access'), browser.cookie('__Host-bms_refresh')];
  const answer = await browser.go(at(auth.refresh), post({ origin }));
  equal(answer.status, 200);
  const { data } = (await answer.json()) as { data: Record<string, unknown> };
  deepEqual(Object.keys(data).sort(), ['accessToken', 'expiresIn']);
  equal(browser.cookie('__Host-bms_access'), data.accessToken);
  equal(browser.cookie('__Host-bms_access') === access || browser.cookie('__Host-bms_refresh') === refresh, false);
  equal((await meOf(browser)).status, 200);
});

test('browser session: a reused refresh cookie ends the session, like a reused token', async () => {
  const browser = await signedIn();
  const old = browser.cookie('__Host-bms_refresh')!;
  await browser.go(at(auth.refresh), post({ origin }));
  const thief = new Browser();
  thief.keep('__Host-bms_refresh', old);
  equal((await thief.go(at(auth.refresh), post({ origin }))).status, 401);
  equal((await meOf(browser)).status, 401);
});

test('browser session: a token in the body overrides the cookie, needs no Origin and sets no cookies', async () => {
  const browser = await signedIn();
  const { refreshToken } = await signIn();
  const answer = await browser.go(at(auth.refresh), post({}, { refreshToken }));
  equal(answer.status, 200);
  deepEqual(answer.headers.getSetCookie(), []);
});

test('browser session: signing out clears the cookies and ends their session', async () => {
  const browser = await signedIn();
  const access = browser.cookie('__Host-bms_access')!;
  const answer = await browser.go(at(auth.logout), post({ origin }));
  equal(answer.status, 200);
  deepEqual([browser.cookie('__Host-bms_access'), browser.cookie('__Host-bms_refresh')], [undefined, undefined]);
  for (const cookie of answer.headers.getSetCookie())
    match(cookie, /^__Host-\w+=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax; Secure$/);
  const kept = new Browser();
  kept.keep('__Host-bms_access', access);
  equal((await meOf(kept)).status, 401);
});

test('browser session: the Authorization header overrides the cookies, also if it is invalid', async () => {
  const browser = await signedIn();
  const { accessToken, email } = await signIn();
  const right = await browser.go(at(auth.me), { headers: { authorization: `Bearer ${accessToken}` } });
  equal(((await right.json()) as { data: { email: string } }).data.email, email);
  equal((await browser.go(at(auth.me), { headers: { authorization: 'Bearer wrong' } })).status, 401);
});

test('browser session: a cookie without an access token is UNAUTHORIZED', async () => {
  const { refreshToken } = await signIn();
  for (const value of ['', 'x', refreshToken, 'fb_sa_x', '%00', 'a=b=c']) {
    const browser = new Browser();
    browser.keep('__Host-bms_access', value);
    equal((await meOf(browser)).status, 401);
  }
});

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'vitest';
import { accountKey } from '../../../shared/account/index.ts';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { Browser, locationOf } from '../../harness/stage/browser.ts';
import { api, call, stageUrl } from '../../harness/stage/client.ts';
import { claimsOf, headerOf, publishedKeys } from '../../harness/stage/forge-token.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const redirect_uri = 'http://localhost:51004/callback';
const begin = (query: string) => api('GET', `${auth.google.path}?${query}`);

test('sign-in: a native app gets tokens through provider, callback and one-time code', async () => {
  const email = newEmail('ada');
  const browser = new Browser();
  const back = await browser.visitProvider({ login_hint: email, redirect_uri });
  const done = await browser.go(back);
  equal(done.status, 302);
  match(locationOf(done), /^http:\/\/localhost:51004\/callback\?code=[\w-]{43}$/);
  equal(browser.cookie('__Host-bms_access'), undefined, 'a native app gets no cookies');
  equal(browser.cookie('bms_login'), undefined, 'the sign-in is over');

  const code = new URL(locationOf(done)).searchParams.get('code');
  const { status, body, headers } = await call(auth.token, { body: { code, grant_type: 'authorization_code', client_id: 'x' } });
  equal(status, 200);
  deepEqual(Object.keys(body.data).sort(), ['accessToken', 'expiresIn', 'refreshToken', 'tokenType']);
  equal(body.data.expiresIn, 3_600);
  equal(body.data.tokenType, 'Bearer');
  equal(headers.get('cache-control'), 'no-store');

  const me = await call(auth.me, { token: body.data.accessToken });
  equal(me.status, 200);
  deepEqual(Object.keys(me.body.data).sort(), ['createdAt', 'email', 'id', 'name', 'organizations', 'picture']);
  equal(me.body.data.email, email);
  deepEqual(me.body.data.organizations, []);
});

test('sign-in: the access token is an RS256 JWT with the documented claims that verifies with the published keys', async () => {
  const organization = await newOrganization();
  const { accessToken, userId, email } = await signIn(organization.owner.email);
  const { kid, ...header } = headerOf(accessToken);
  deepEqual(header, { alg: 'RS256', typ: 'at+jwt' });
  const { iat, exp, jti, sid, name, ...claims } = claimsOf(accessToken);
  deepEqual(claims, { sub: userId, email, organizations: [organization.id], iss: stageUrl(), aud: 'backup-management-service' });
  equal(Number(exp) - Number(iat), 3_600);
  ok(Math.abs(Number(iat) - Date.now() / 1_000) < 300);
  ok(jti && sid && name);
  const key = (await publishedKeys()).find((each) => each.kid === kid)!;
  const [head, payload, signature = ''] = accessToken.split('.');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  ok(verify('sha256', Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url')));
});

test('auth.google: one short-lived cookie is set, and exactly the documented scopes are requested', async () => {
  const { status, headers } = await begin('login_hint=ada%40example.com');
  equal(status, 302);
  const [cookie = '', ...others] = headers.getSetCookie();
  deepEqual(others, []);
  match(cookie, /^bms_login=[\w-]{43}\.[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
  const asked = new URL(headers.get('location')!).searchParams;
  deepEqual(asked.get('scope')?.split(' '), [
    'openid',
    'email',
    'profile',
    'https://www.googleapis.com/auth/cloudplatformprojects',
    'https://www.googleapis.com/auth/cloud-platform',
    'https://www.googleapis.com/auth/datastore',
  ]);
  equal(asked.get('access_type'), 'offline');
  equal(asked.get('code_challenge_method'), 'S256');
  equal(asked.get('redirect_uri'), `${stageUrl()}${auth.callback.path}`);
  ok(asked.get('state') && asked.get('nonce') && asked.get('code_challenge'));
});

const refusedState = async (answer: Response) => {
  equal(answer.status, 400);
  const { error } = (await answer.json()) as { error: { code: string; details: { field: string } } };
  deepEqual([error.code, error.details.field], ['VALIDATION_ERROR', 'state']);
  equal(answer.headers.get('location'), null);
};

// The provider's code works once: if it still works afterwards, it was not exchanged.
test('sign-in: a callback with a missing, wrong or foreign state is refused, and the code stays unused', async () => {
  const browser = new Browser();
  const other = new Browser();
  const back = await browser.visitProvider({ login_hint: newEmail() });
  const elsewhere = await other.visitProvider({ login_hint: newEmail() });
  const withState = (state: string | undefined) => {
    const url = new URL(back);
    url.searchParams.delete('state');
    if (state !== undefined) url.searchParams.set('state', state);
    return url.href;
  };
  await refusedState(await browser.go(withState(undefined)));
  await refusedState(await browser.go(withState('')));
  await refusedState(await browser.go(withState('x'.repeat(43))));
  await refusedState(await browser.go(withState(new URL(elsewhere).searchParams.get('state')!)));
  await refusedState(await browser.go(`${back}&state=again`));
  await refusedState(await new Browser().go(back));
  await refusedState(await other.go(back));
  equal((await browser.go(back)).status, 302);
});

test('sign-in: a state works once; a replay with all cookies is refused', async () => {
  const browser = new Browser();
  const back = await browser.visitProvider({ login_hint: newEmail() });
  const cookie = browser.cookie('bms_login')!;
  equal((await browser.go(back)).status, 302);
  const again = new Browser();
  again.keep('bms_login', cookie);
  await refusedState(await again.go(back));
  equal(again.cookie('__Host-bms_access'), undefined);
});

test('sign-in: it expires after ten minutes, even if its item still exists', async () => {
  const browser = new Browser();
  const back = await browser.visitProvider({ login_hint: newEmail() });
  const key = accountKey.login(new URL(back).searchParams.get('state')!);
  await putItem({ ...(await getItem(key))!, expiresAt: Math.floor(Date.now() / 1_000) - 1 });
  await refusedState(await browser.go(back));
});

for (const [what, change] of [
  ["the provider's refusal", { code: undefined, error: 'access_denied' }],
  ['a code the provider does not know', { code: 'made-up' }],
  ['an answer of another issuer', { iss: 'https://evil.example.com' }],
] as const) {
  test(`sign-in: ${what} is answered with 401 and consumes the state`, async () => {
    const browser = new Browser();
    const url = new URL(await browser.visitProvider({ login_hint: newEmail() }));
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    const answer = await browser.go(url.href);
    equal(answer.status, 401);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    equal(error.code, 'UNAUTHORIZED');
    match(error.message, /identity provider/);
    equal(browser.cookie('__Host-bms_access'), undefined);
    await refusedState(await browser.go(url.href));
  });
}

test('sign-in: a callback with neither code nor error names the missing code', async () => {
  const browser = new Browser();
  const url = new URL(await browser.visitProvider({ login_hint: newEmail() }));
  url.searchParams.delete('code');
  const answer = await browser.go(url.href);
  equal(answer.status, 400);
  equal(((await answer.json()) as { error: { details: { field: string } } }).error.details.field, 'code');
});

import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { beginLogin, matchLogin, nonceOf } from '../../../shared/account/login-attempt.ts';

const now = new Date('2025-06-01T12:00:00Z');

test('beginLogin: the table stores neither state nor verifier, and the item expires after ten minutes', () => {
  const app = { redirectUri: 'http://localhost:5/cb', state: 'of the app', codeChallenge: 'c'.repeat(43) };
  const { login, write } = beginLogin(app, now);
  ok('put' in write);
  const stored = JSON.stringify(write.put);
  ok(!stored.includes(login.state) && !stored.includes(login.verifier) && !stored.includes(nonceOf(login)));
  deepEqual(write.put.app, app);
  equal(write.put.expiresAt, now.getTime() / 1_000 + 600);
  equal(write.put.ttl, write.put.expiresAt);
});

test('beginLogin: state, verifier and nonce differ between sign-ins', () => {
  const [one, two] = [beginLogin(undefined, now).login, beginLogin(undefined, now).login];
  notEqual(one.state, two.state);
  notEqual(one.verifier, two.verifier);
  notEqual(nonceOf(one), nonceOf(two));
  match(one.verifier, /^[A-Za-z0-9_-]{43}$/);
});

test('matchLogin: the cookie must contain the state and a verifier', () => {
  const { login, cookie } = beginLogin(undefined, now);
  const other = beginLogin(undefined, now);
  equal(matchLogin(login.state, cookie)?.verifier, login.verifier);
  for (const [state, brought] of [
    [undefined, cookie],
    ['', cookie],
    [login.state, undefined],
    [login.state, ''],
    [login.state, other.cookie],
    [other.login.state, cookie],
    [login.state, `${login.state}.`],
    [login.state, login.state],
    [login.state, `${cookie}.x`],
    [login.state, `${cookie}x`],
    [`${login.state} `, cookie],
    ['undefined', 'undefined'],
  ] as const) {
    equal(matchLogin(state, brought), undefined);
  }
});

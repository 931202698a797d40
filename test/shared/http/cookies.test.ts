import { equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { clearedLoginCookie, clearedSessionCookies, sessionCookies, startedLoginCookie } from '../../../shared/http/cookies.ts';

test('startedLoginCookie: it is Secure if the service uses https', () => {
  process.env.PUBLIC_URL = 'https://api.example.com';
  const attributes = 'HttpOnly; SameSite=Lax; Secure';
  equal(startedLoginCookie('v'), `bms_login=v; Path=/api/v1/auth/google/callback; Max-Age=600; ${attributes}`);
  equal(clearedLoginCookie(), `bms_login=; Path=/api/v1/auth/google/callback; Max-Age=0; ${attributes}`);
});

// A browser removes a cookie only if it is cleared for the path it was set for.
test('sessionCookies: scripts and other sites cannot use them, and they are cleared for the path they were set for', () => {
  const set = sessionCookies('access', 'refresh');
  for (const [n, cookie] of [...set, ...clearedSessionCookies].entries()) {
    match(cookie, /; HttpOnly; Secure; SameSite=Lax$/);
    equal(/Path=[^;]+/.exec(cookie)![0], /Path=[^;]+/.exec(set[n % 2]!)![0]);
  }
});

import { equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import {
  clearedLoginCookie,
  clearedSessionCookies,
  loginCookie,
  sessionCookies,
  startedLoginCookie,
} from '../../../shared/http/cookies.ts';

/** Browsers refuse a `__Host-` cookie with other attributes. */
const isHostCookie = (cookie: string) =>
  match(cookie, /^__Host-\w+=[^;]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);

test('cookies: every cookie of a service with https has the __Host- prefix and its attributes', () => {
  process.env.PUBLIC_URL = 'https://api.example.com';
  for (const cookie of [
    ...sessionCookies('access', 'refresh'),
    ...clearedSessionCookies,
    startedLoginCookie('v'),
    clearedLoginCookie(),
  ])
    isHostCookie(cookie);
});

// A sibling domain can plant a plain cookie, and so sign the victim in as the attacker.
test('loginCookie: a service with https does not read a plain login cookie', () => {
  process.env.PUBLIC_URL = 'https://api.example.com';
  equal(loginCookie(), '__Host-bms_login');
});

test('cookies: over http the login cookie is plain, and session cookies keep the prefix', () => {
  process.env.PUBLIC_URL = 'http://localhost:3000';
  equal(startedLoginCookie('v'), 'bms_login=v; Path=/; Max-Age=600; HttpOnly; SameSite=Lax');
  equal(clearedLoginCookie(), 'bms_login=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
  for (const cookie of [...sessionCookies('access', 'refresh'), ...clearedSessionCookies]) isHostCookie(cookie);
});

/**
 * Cookies of browser sessions. They hold the same tokens that API clients send as headers. A browser accepts a `__Host-` name only
 * with Secure, Path=/ and without Domain, so neither a sibling domain nor plain http can plant one.
 */
import { accessTokenSeconds, loginAttemptSeconds, refreshTokenSeconds } from '../contract/limits.ts';
import { env } from '../platform/index.ts';

export const accessCookie = '__Host-bms_access';
export const refreshCookie = '__Host-bms_refresh';

const cookie = (name: string, value: string, maxAgeSeconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
const secure = (name: string, value: string, maxAgeSeconds: number): string => `${cookie(name, value, maxAgeSeconds)}; Secure`;

export const sessionCookies = (accessToken: string, refreshToken: string): readonly string[] => [
  secure(accessCookie, accessToken, accessTokenSeconds),
  secure(refreshCookie, refreshToken, refreshTokenSeconds),
];

export const clearedSessionCookies: readonly string[] = [secure(accessCookie, '', 0), secure(refreshCookie, '', 0)];

const isHttps = (): boolean => env('PUBLIC_URL').startsWith('https:');

/**
 * Binds a sign-in to the browser that started it. A service without https (a stage at http://localhost) uses a plain cookie: Safari and
 * most HTTP libraries never send a Secure cookie over http, and an app could then not sign in at all.
 */
export const loginCookie = (): string => (isHttps() ? '__Host-bms_login' : 'bms_login');

const login = (value: string, maxAgeSeconds: number): string =>
  isHttps() ? secure(loginCookie(), value, maxAgeSeconds) : cookie(loginCookie(), value, maxAgeSeconds);

export const startedLoginCookie = (value: string): string => login(value, loginAttemptSeconds);
export const clearedLoginCookie = (): string => login('', 0);

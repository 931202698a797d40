/** The cookies of browser sessions. They hold the same tokens that API clients send as headers. */
import { apiPrefix } from '../contract/endpoint.ts';
import { accessTokenSeconds, loginAttemptSeconds, refreshTokenSeconds } from '../contract/limits.ts';
import { env } from '../platform/index.ts';

export const accessCookie = 'bms_access';
export const refreshCookie = 'bms_refresh';

const session = 'HttpOnly; Secure; SameSite=Lax';

/** The refresh token is sent only to the endpoints that use it. */
const refreshPath = `${apiPrefix}/auth`;

export const sessionCookies = (accessToken: string, refreshToken: string): readonly string[] => [
  `${accessCookie}=${accessToken}; Path=/; Max-Age=${accessTokenSeconds}; ${session}`,
  `${refreshCookie}=${refreshToken}; Path=${refreshPath}; Max-Age=${refreshTokenSeconds}; ${session}`,
];

export const clearedSessionCookies: readonly string[] = [
  `${accessCookie}=; Path=/; Max-Age=0; ${session}`,
  `${refreshCookie}=; Path=${refreshPath}; Max-Age=0; ${session}`,
];

export const loginCookie = 'bms_login';

/** Binds a sign-in to the browser that started it. Sent only to the callback, and only over https if the service uses it. */
const login = (value: string, maxAgeSeconds: number): string => {
  const secure = env('PUBLIC_URL').startsWith('https:') ? '; Secure' : '';
  return `${loginCookie}=${value}; Path=${apiPrefix}/auth/google/callback; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
};

export const startedLoginCookie = (value: string): string => login(value, loginAttemptSeconds);
export const clearedLoginCookie = (): string => login('', 0);

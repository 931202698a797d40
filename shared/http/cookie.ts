/** The cookies of browser sessions. They carry the same tokens that API clients send as headers. */

import { apiPrefix } from '../contract/endpoint.ts';
import { accessTokenSeconds, refreshTokenSeconds } from '../contract/limits.ts';

export const accessCookie = 'bms_access';
export const refreshCookie = 'bms_refresh';

const session = 'HttpOnly; Secure; SameSite=Lax';

/** The refresh token is only sent where it is used. */
const refreshPath = `${apiPrefix}/auth`;

export const sessionCookies = (accessToken: string, refreshToken: string): readonly string[] => [
  `${accessCookie}=${accessToken}; Path=/; Max-Age=${accessTokenSeconds}; ${session}`,
  `${refreshCookie}=${refreshToken}; Path=${refreshPath}; Max-Age=${refreshTokenSeconds}; ${session}`,
];

export const clearedSessionCookies: readonly string[] = [
  `${accessCookie}=; Path=/; Max-Age=0; ${session}`,
  `${refreshCookie}=; Path=${refreshPath}; Max-Age=0; ${session}`,
];

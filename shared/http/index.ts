export { refuseForeignOrigin, unauthorized } from './authenticate.ts';
export type { Participant, Person } from './authorize.ts';
export { clearedSessionCookies, refreshCookie, sessionCookies } from './cookie.ts';
export type { Page } from './cursor.ts';
export { type Answer, type Call, type Handler, handle } from './handle.ts';
export { countAddress, rateHeaders } from './rate-limit.ts';
export { errorResponse, type Response } from './respond.ts';

export { refuseForeignOrigin } from './authenticate.ts';
export type { Participant, Person } from './authorize.ts';
export {
  clearedLoginCookie,
  clearedSessionCookies,
  loginCookie,
  refreshCookie,
  sessionCookies,
  startedLoginCookie,
} from './cookies.ts';
export type { Page } from './cursor.ts';
export { handle } from './handle.ts';
export type { Answer, Call, Handler } from './handler-types.ts';
export { assertWithinLimit, countAddress, rateHeaders } from './rate-limit.ts';
export { withEnvelope } from './request-envelope.ts';
export { errorResponse, type File, type Response } from './responses.ts';
export { serveStatic } from './serve-static.ts';

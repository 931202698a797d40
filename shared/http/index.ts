export { refuseForeignOrigin } from './authenticate.ts';
export type { Participant, Person } from './authorize.ts';
export type { Answer, Call, Handler } from './call.ts';
export {
  clearedLoginCookie,
  clearedSessionCookies,
  loginCookie,
  refreshCookie,
  sessionCookies,
  startedLoginCookie,
} from './cookie.ts';
export type { Page } from './cursor.ts';
export { handle } from './handle.ts';
export { countAddress, rateHeaders } from './rate-limit.ts';
export { refuse } from './refuse.ts';
export { errorResponse, type File, type Response } from './respond.ts';
export { serve } from './serve.ts';

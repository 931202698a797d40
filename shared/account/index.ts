export { type AccessClaims, issueAccessToken, verifyAccessToken } from './access-token.ts';
export {
  accessDenied,
  beginDeviceSignIn,
  checkPoll,
  claimPoll,
  decideDevice,
  findWaitingDevice,
  readApproval,
  readDevice,
  redeemDevice,
} from './device-sign-in.ts';
export { grantAccessToken } from './grant-access-token.ts';
export type { ProviderIdentity } from './identity-claims.ts';
export { listSessions, openSessions, sessionData } from './list-sessions.ts';
export { beginLogin, finishLogin } from './login-attempt.ts';
export { notifyDeviceSignIn } from './notify-device-sign-in.ts';
export { authorizationUrl, googleScopes, identify, SignInDeclined } from './oidc-client.ts';
export { assertBinding, checkCode, issueCode, readCode, redeemCode } from './one-time-code.ts';
export {
  type AppRequest,
  accountKey,
  type CodeRecord,
  type DeviceRecord,
  type SessionRecord,
  type UserRecord,
} from './record.ts';
export { isAllowedRedirect, withParameters } from './redirect-uri.ts';
export { type Misuse, revokeMisusedSession } from './revoke-misused-session.ts';
export { auditEverywhere, readOwnSession, revokeAllSessions, sessionNotFound } from './revoke-sessions.ts';
export {
  endSession,
  isOver,
  isRevokedWithAll,
  openSession,
  presentRefresh,
  readRefreshToken,
  rotateRefreshToken,
  sessionEnded,
} from './session.ts';
export { isUseDue, noteSessionUse } from './session-use.ts';
export { findOrCreateUser, readUser, refreshProfile, storeGrant } from './user.ts';

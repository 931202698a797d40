export { issueCode, judgeCode, readCode, redeemCode } from './code.ts';
export { beginLogin, finishLogin } from './login.ts';
export { endMisusedSession, type Misuse } from './misuse.ts';
export { authorizationUrl, identify } from './provider.ts';
export { accountKey, type CodeRecord, type SessionRecord, type UserRecord } from './record.ts';
export { isAllowedRedirect, withCode } from './redirect.ts';
export { endSession, openSession, presentRefresh, readRefreshToken, rotate } from './session.ts';
export { type AccessClaims, issueAccessToken, verifyAccessToken } from './token.ts';
export { keepGrant, readUser, refreshProfile, userOf } from './user.ts';

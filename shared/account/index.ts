export { issueCode, judgeCode, redeemCode } from './code.ts';
export { beginLogin, finishLogin } from './login.ts';
export { endMisusedSession, type Misuse } from './misuse.ts';
export { authorizationUrl, identify } from './provider.ts';
export { accountKey, type CodeRecord, type RefreshRecord, type SessionRecord, type UserRecord } from './record.ts';
export { isAllowedRedirect, withCode } from './redirect.ts';
export { endSession, judgeRefresh, openSession, readRefreshToken, rotate } from './session.ts';
export { type AccessClaims, issueAccessToken, verifyAccessToken } from './token.ts';
export { keepGrant, refreshProfile, userOf } from './user.ts';

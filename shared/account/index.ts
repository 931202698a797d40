export { accountKey, type SessionRecord, type UserRecord } from './record.ts';
export { type AccessClaims, issueAccessToken, verifyAccessToken } from './token.ts';

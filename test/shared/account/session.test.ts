import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { describeUserAgent } from '../../../shared/account/describe-user-agent.ts';
import type { RefreshRecord, SessionRecord } from '../../../shared/account/record.ts';
import { revokeAllSessions } from '../../../shared/account/revoke-sessions.ts';
import { checkRefresh, isOver, openSession, readRefreshToken, rotateRefreshToken } from '../../../shared/account/session.ts';
import { unauthorized } from '../../../shared/contract/errors.ts';
import { StaleReadError } from '../../../shared/platform/index.ts';

const now = new Date('2025-06-01T12:00:00Z');
const day = 24 * 3_600;
const seconds = now.getTime() / 1_000;
const session: SessionRecord = {
  pk: 'SESSION#x',
  sk: 'SESSION',
  id: 'ses_01JWNVAV000000000000000000',
  userId: 'usr_01JWNVAV000000000000000000',
  createdAt: now.toISOString(),
  endsAt: seconds + 30 * day,
};
const token: RefreshRecord = { pk: 'SESSION#x', sk: 'REFRESH#y', expiresAt: seconds + 7 * day };
const later = (offsetSeconds: number) => new Date(now.getTime() + offsetSeconds * 1_000);

for (const [what, given, kept, at, verdict] of [
  ['a good token', session, token, now, 'rotate'],
  ['its last second', session, token, later(7 * day - 1), 'rotate'],
  ['a token of seven days', session, token, later(7 * day), 'refuse'],
  ['a session of thirty days', session, { ...token, expiresAt: seconds + 40 * day }, later(30 * day), 'refuse'],
  ['a used token', session, { ...token, usedAt: now.toISOString() }, now, 'reuse'],
  ['a used token that has expired since', session, { ...token, usedAt: now.toISOString() }, later(8 * day), 'reuse'],
  ['an unknown token of a known session', session, undefined, now, 'refuse'],
  ['a token of an unknown session', undefined, token, now, 'refuse'],
  ['a token of a session that was ended', { ...session, revokedAt: now.toISOString() }, token, now, 'refuse'],
  [
    'a used token of a session that was ended',
    { ...session, revokedAt: now.toISOString() },
    { ...token, usedAt: now.toISOString() },
    now,
    'refuse',
  ],
] as const) {
  test(`checkRefresh: ${what}: ${verdict}`, () => equal(checkRefresh(given, kept, at), verdict));
}

const origin = { ip: '203.0.113.7', userAgent: 'curl/8', requestId: 'r' };

test('isOver: a person who ends all sign-ins ends those created until then, except one', () => {
  const revoked = { pk: '', sk: '', revokedAt: now.toISOString(), exceptSessionId: null };
  const made = { ...session, createdAt: now.toISOString() };
  equal(isOver(made, undefined, now), false);
  equal(isOver(made, revoked, now), true);
  equal(isOver(made, { ...revoked, exceptSessionId: made.id }, now), false);
  equal(isOver({ ...made, createdAt: later(1).toISOString() }, revoked, later(2)), false);
  equal(isOver({ ...made, revokedAt: now.toISOString() }, { ...revoked, exceptSessionId: made.id }, now), true);
  equal(isOver(made, undefined, new Date(made.endsAt * 1_000)), true);
});

test('isOver: a grant of before the person ended all sign-ins opens none, also if its session is created later', () => {
  const revoked = { pk: '', sk: '', revokedAt: later(5).toISOString(), exceptSessionId: null };
  const opened = { ...session, createdAt: later(6).toISOString() };
  equal(isOver(opened, revoked, later(7)), false);
  equal(isOver({ ...opened, grantedAt: later(5).toISOString() }, revoked, later(7)), true);
  equal(isOver({ ...opened, grantedAt: later(6).toISOString() }, revoked, later(7)), false);
});

test('isOver: a device is over if it was approved in a session that was ended with the others', () => {
  const approver = { id: 'ses_approver', createdAt: now.toISOString() };
  const opened = { ...session, createdAt: later(7).toISOString(), grantedAt: later(6).toISOString(), approvedBy: approver };
  const revoked = { pk: '', sk: '', revokedAt: later(5).toISOString(), exceptSessionId: null };
  equal(isOver(opened, revoked, later(8)), true);
  for (const exceptSessionId of [opened.id, approver.id]) equal(isOver(opened, { ...revoked, exceptSessionId }, later(8)), false);
  equal(isOver({ ...opened, approvedBy: { ...approver, createdAt: later(6).toISOString() } }, revoked, later(8)), false);
});

test('revokeAllSessions: the moment never decreases, and a revocation decided from an older one is refused', async () => {
  const previous = { revokedAt: later(5).toISOString(), exceptSessionId: null };
  const write = revokeAllSessions({ userId: session.userId, exceptSessionId: 'ses_x', previous }, now);
  ok('put' in write && write.onConditionFailed);
  equal(write.put.revokedAt, previous.revokedAt);
  deepEqual(write.values, { ':was_revokedAt': previous.revokedAt, ':was_exceptSessionId': null });
  ok((await write.onConditionFailed()) instanceof StaleReadError);
  const first = revokeAllSessions({ userId: session.userId, exceptSessionId: null, previous: undefined }, now);
  ok('put' in first);
  deepEqual([first.put.revokedAt, first.condition], [now.toISOString(), 'attribute_not_exists(pk)']);
});

test('describeUserAgent: browsers and systems have names, other programs are as they call themselves', () => {
  const chrome =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
  equal(describeUserAgent(chrome), 'Chrome on macOS');
  equal(
    describeUserAgent(`${chrome} Edg/142.0.0.0`.replace('Macintosh; Intel Mac OS X 10_15_7', 'Windows NT 10.0; Win64')),
    'Edge on Windows',
  );
  equal(describeUserAgent('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'), 'Firefox on Linux');
  equal(describeUserAgent('bms/2.0.0 node/24 linux'), 'bms/2.0.0');
  equal(describeUserAgent(''), null);
  equal(describeUserAgent(null), null);
});

test('openSession: a session lasts 30 days and its refresh token 7; the table stores a fingerprint', () => {
  const {
    refreshToken,
    writes,
    session: opened,
  } = openSession({ userId: session.userId, kind: 'application', name: null, origin }, now);
  match(refreshToken, /^ses_[0-9A-Z]{26}\.[A-Za-z0-9_-]{43}$/);
  const [first, second] = writes;
  ok(first && 'put' in first && second && 'put' in second);
  equal(first.put.endsAt, seconds + 30 * day);
  equal(second.put.expiresAt, seconds + 7 * day);
  equal(opened.id, readRefreshToken(refreshToken)?.sessionId);
  ok(!JSON.stringify(writes).includes(readRefreshToken(refreshToken)!.secret));
});

test('rotateRefreshToken: a refresh token expires with its session at the latest', () => {
  const presented = { sessionId: session.id, secret: 's' };
  const { writes } = rotateRefreshToken({ session, origin, presented, lost: async () => unauthorized('') }, later(29 * day));
  const made = writes.find((write) => 'put' in write)!;
  equal(made.put.expiresAt, session.endsAt);
});

test('rotateRefreshToken: one transaction checks the session, marks the old token as used and creates the new one', () => {
  const lost = async () => unauthorized('');
  const { writes } = rotateRefreshToken({ session, origin, presented: { sessionId: session.id, secret: 'secret' }, lost }, now);
  deepEqual(
    writes.map((write) => Object.keys(write)[0]),
    ['check', 'update', 'put', 'put'],
  );
  match(writes[0]!.condition!, /attribute_not_exists\(#revokedAt\)/);
  match(writes[1]!.condition!, /attribute_not_exists\(#usedAt\)/);
  equal(writes[1]!.onConditionFailed, lost);
});

test('readRefreshToken: malformed text is refused without a read of the table', () => {
  const { refreshToken } = openSession({ userId: session.userId, kind: 'application', name: null, origin }, now);
  ok(readRefreshToken(refreshToken));
  for (const text of [
    '',
    '.',
    refreshToken.toLowerCase(),
    ` ${refreshToken}`,
    `${refreshToken}\n`,
    `${refreshToken}x`,
    `${refreshToken}.x`,
    refreshToken.slice(0, -1),
    refreshToken.replace('ses_', 'usr_'),
    refreshToken.replace('.', '#'),
    `ses_${'I'.repeat(26)}.${'a'.repeat(43)}`,
  ]) {
    equal(readRefreshToken(text), undefined, text);
  }
});

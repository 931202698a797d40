import { equal, match, ok, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { assertBinding, checkCode, issueCode } from '../../../shared/account/one-time-code.ts';
import type { CodeRecord } from '../../../shared/account/record.ts';

const now = new Date('2025-06-01T12:00:00Z');
const at = (offsetSeconds: number) => new Date(now.getTime() + offsetSeconds * 1_000);
const record: CodeRecord = { pk: 'CODE#x', sk: 'CODE', userId: 'usr_x', expiresAt: now.getTime() / 1_000 + 60 };

test('issueCode: a code expires after 60 seconds, and only its fingerprint is stored', () => {
  const { code, write } = issueCode(
    'usr_x',
    { redirectUri: 'http://localhost/cb', codeChallenge: 'c'.repeat(43), state: 's' },
    now,
  );
  match(code, /^[A-Za-z0-9_-]{43}$/);
  ok('put' in write);
  equal(write.put.expiresAt, record.expiresAt);
  ok(!JSON.stringify(write.put).includes(code));
  equal(write.put.redirectUri, 'http://localhost/cb');
  equal(write.put.codeChallenge, 'c'.repeat(43));
});

for (const [what, kept, when, verdict] of [
  ['a fresh code', record, now, 'redeem'],
  ['its last second', record, at(59), 'redeem'],
  // DynamoDB may keep an item for days after its TTL, so the time is checked in code.
  ['a code of sixty seconds that is still in the table', record, at(60), 'refuse'],
  ['an unknown code', undefined, now, 'refuse'],
  ['a code that opened a session', { ...record, sessionId: 'ses_x' }, now, 'replay'],
  ['a used code long after its minute', { ...record, sessionId: 'ses_x' }, at(3_600), 'replay'],
] as const) {
  test(`checkCode: ${what}: ${verdict}`, () => equal(checkCode(kept, when), verdict));
}

const redirectUri = 'https://app.example.com/callback';
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const codeChallenge = createHash('sha256').update(verifier).digest('base64url');

test('assertBinding: the example of RFC 7636 appendix B matches', () => {
  equal(codeChallenge, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  assertBinding({ redirectUri, codeChallenge }, { code_verifier: verifier });
  assertBinding({ redirectUri, codeChallenge }, { code_verifier: verifier, redirect_uri: redirectUri });
});

test('assertBinding: an app without PKCE needs neither redirect_uri nor code_verifier', () => {
  assertBinding({ redirectUri }, {});
  assertBinding({ redirectUri }, { redirect_uri: redirectUri });
  assertBinding({}, {});
});

for (const [what, bound, presented, code] of [
  ['a missing verifier', { redirectUri, codeChallenge }, {}, 'VALIDATION_ERROR'],
  ['another verifier', { redirectUri, codeChallenge }, { code_verifier: 'x'.repeat(43) }, 'UNAUTHORIZED'],
  ['the challenge as verifier (plain)', { redirectUri, codeChallenge }, { code_verifier: codeChallenge }, 'UNAUTHORIZED'],
  ['a verifier for a code without a challenge', { redirectUri }, { code_verifier: verifier }, 'UNAUTHORIZED'],
  ['another redirect_uri', { redirectUri }, { redirect_uri: 'https://app.example.com/other' }, 'UNAUTHORIZED'],
  ['another spelling of the redirect_uri', { redirectUri }, { redirect_uri: `${redirectUri}/` }, 'UNAUTHORIZED'],
  ['a redirect_uri for a code of an earlier version', {}, { redirect_uri: redirectUri }, 'UNAUTHORIZED'],
] as const)
  test(`assertBinding: ${what} is ${code}`, () => throws(() => assertBinding(bound, presented), { code }));

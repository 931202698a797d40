import { equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { checkCode, issueCode } from '../../../shared/account/one-time-code.ts';
import type { CodeRecord } from '../../../shared/account/record.ts';

const now = new Date('2025-06-01T12:00:00Z');
const at = (offsetSeconds: number) => new Date(now.getTime() + offsetSeconds * 1_000);
const record: CodeRecord = { pk: 'CODE#x', sk: 'CODE', userId: 'usr_x', expiresAt: now.getTime() / 1_000 + 60 };

test('issueCode: a code expires after 60 seconds, and only its fingerprint is stored', () => {
  const { code, write } = issueCode('usr_x', now);
  match(code, /^[A-Za-z0-9_-]{43}$/);
  ok('put' in write);
  equal(write.put.expiresAt, record.expiresAt);
  ok(!JSON.stringify(write.put).includes(code));
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

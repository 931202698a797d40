import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { checkPoll, type Poll } from '../../../shared/account/device-sign-in.ts';
import type { DeviceRecord } from '../../../shared/account/record.ts';
import { deviceCodeSeconds } from '../../../shared/contract/limits.ts';

const now = new Date('2026-01-31T12:00:00.000Z');
const seconds = Math.floor(now.getTime() / 1_000);
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();
const waiting: DeviceRecord = {
  pk: 'DEVICE#x',
  sk: 'DEVICE',
  deviceDigest: 'x',
  status: 'pending',
  clientName: null,
  ip: null,
  location: null,
  userAgent: null,
  createdAt: ago(0),
  expiresAt: seconds + deviceCodeSeconds,
};
const approved: DeviceRecord = { ...waiting, status: 'approved', userId: 'usr', approvedBy: 'ses' };

const cases: readonly (readonly [string, DeviceRecord, Poll])[] = [
  ['the first poll before the decision waits', waiting, 'pending'],
  ['a poll after four seconds waits', { ...waiting, polledAt: ago(4_000) }, 'pending'],
  ['a poll after less than four seconds is too soon', { ...waiting, polledAt: ago(3_999) }, 'slow'],
  ['an approved code is redeemed', approved, 'redeem'],
  ['an approved code that is polled too soon has to wait', { ...approved, polledAt: ago(100) }, 'slow'],
  ['a denied code is denied, also after it has expired', { ...waiting, status: 'denied', expiresAt: seconds - 1 }, 'denied'],
  ['a code expires at its last second', { ...waiting, expiresAt: seconds }, 'expired'],
  ['an approved code expires, too', { ...approved, expiresAt: seconds }, 'expired'],
  ['a used code is a replay, even after it has expired', { ...approved, sessionId: 's', expiresAt: seconds - 9 }, 'replay'],
  // Two requests of one poll: the second is not a theft.
  ['a used code that is polled at once is too soon', { ...approved, sessionId: 's', polledAt: ago(50) }, 'slow'],
];
for (const [what, record, poll] of cases) test(`device sign-in: ${what}`, () => equal(checkPoll(record, now), poll));

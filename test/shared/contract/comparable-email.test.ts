import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { comparableEmail } from '../../../shared/contract/comparable-email.ts';

for (const [email, expected] of [
  ['Ada+X@Example.COM', 'ada+x@example.com'],
  ['ada@example.com', 'ada@example.com'],
  ['MÜLLER@example.com', 'mÜller@example.com'],
  ['İ@example.com', 'İ@example.com'],
  ['mi\u212ae@example.com', undefined],
  ['\uff41da@example.com', undefined],
  ['ada\uff20example.com', undefined],
  ['ﬁn@example.com', undefined],
  ['ada@ⓔxample.com', undefined],
] as const)
  test(`comparableEmail: ${email} is compared as ${expected}`, () => equal(comparableEmail(email), expected));

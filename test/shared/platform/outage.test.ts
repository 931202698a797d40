import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { AwsError, isOutage } from '../../../shared/platform/index.ts';

for (const [what, error, expected] of [
  ['a server fault of AWS', new AwsError('InternalServerError', 'down', 500), true],
  ['a throttled call', new AwsError('ThrottlingException', 'busy', 400), true],
  ['a single write that meets a transaction', new AwsError('TransactionConflictException', 'ongoing', 400), true],
  ['a call that took too long', Object.assign(new Error(), { name: 'TimeoutError' }), true],
  ['a refused connection', Object.assign(new Error(), { code: 'ECONNREFUSED' }), true],
  ['a missing permission', new AwsError('AccessDeniedException', 'no', 400), false],
  ['a mistake of ours', new TypeError('undefined is not a function'), false],
  ['something that is no error', 'text', false],
  ['nothing', undefined, false],
] as const)
  test(`${what} is ${expected ? '' : 'not '}an outage`, () => equal(isOutage(error), expected));

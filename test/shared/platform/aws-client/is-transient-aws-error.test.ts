import { equal } from 'node:assert/strict';
import { KMSServiceException } from '@aws-sdk/client-kms';
import { test } from 'vitest';
import { OutcomeUnknownError } from '../../../../shared/platform/aws-client/outcome-unknown-error.ts';
import { isTransientAwsError } from '../../../../shared/platform/index.ts';

const refused = (name: string, httpStatusCode: number, more: object = {}): Error =>
  Object.assign(new KMSServiceException({ name, $fault: 'client', message: 'no', $metadata: { httpStatusCode } }), more);

for (const [what, error, expected] of [
  ['a server fault', refused('InternalServerError', 500), true],
  ['a throttled call', refused('ThrottlingException', 400), true],
  ['status 429', refused('Unheard', 429), true],
  ['an error that the service marks as retryable', refused('Unheard', 400, { $retryable: {} }), true],
  ['a single write that meets a transaction', refused('TransactionConflictException', 400), true],
  ['a conditional write whose outcome is unknown', new OutcomeUnknownError(new Error()), true],
  ['a call that took too long', Object.assign(new Error(), { name: 'TimeoutError' }), true],
  ['a refused connection', Object.assign(new Error(), { code: 'ECONNREFUSED' }), true],
  ['a missing permission', refused('AccessDeniedException', 400), false],
  ['a programming error', new TypeError('undefined is not a function'), false],
  ['a string', 'text', false],
  ['undefined', undefined, false],
] as const)
  test(`isTransientAwsError: ${what} is ${expected ? '' : 'not '}transient`, () => equal(isTransientAwsError(error), expected));

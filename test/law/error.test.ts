/** The table of codes is the agreed one: no code without its place there, none with another status. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError, type ErrorCode, errors } from '../../shared/contract/errors.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { errorDescriptions, errorsOf } from '../../shared/contract/openapi/error-responses.ts';
import { sourcesIn } from '../harness/law/source-files.ts';

/** Every code that was agreed on, by status; later parts of the service use the rest. */
const agreed: Readonly<Record<number, readonly string[]>> = {
  400: ['VALIDATION_ERROR'],
  401: ['UNAUTHORIZED'],
  403: ['FORBIDDEN', 'PERMISSION_DENIED'],
  404: [
    'NOT_FOUND',
    'ORGANIZATION_NOT_FOUND',
    'WEBHOOK_NOT_FOUND',
    'PROJECT_NOT_FOUND',
    'BACKUP_NOT_FOUND',
    'RESTORE_NOT_FOUND',
    'SCHEDULE_NOT_FOUND',
    'STORAGE_NOT_FOUND',
    'DELIVERY_NOT_FOUND',
    'INVITATION_NOT_FOUND',
    'MEMBER_NOT_FOUND',
    'SERVICE_ACCOUNT_NOT_FOUND',
  ],
  405: ['METHOD_NOT_ALLOWED'],
  409: ['INVITATION_EXISTS', 'CANNOT_REMOVE_OWNER', 'SERVICE_ACCOUNT_EXISTS', 'SLUG_TAKEN', 'JOB_IN_PROGRESS', 'CONFLICT'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  422: ['IDEMPOTENCY_KEY_REUSED', 'SOURCE_AUTH_ERROR', 'STORAGE_ERROR'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL_ERROR'],
  503: ['SERVICE_UNAVAILABLE'],
};

const codes = Object.keys(errors) as ErrorCode[];

for (const code of codes) {
  test(`${code} has the agreed status, and says it`, () => {
    ok(agreed[errors[code]]?.includes(code), `${code} is not agreed on as ${errors[code]}`);
    equal(new ApiError(code, '').status, errors[code]);
  });

  test(`${code} is thrown somewhere, and means something`, () => {
    const word = new RegExp(`'${code}'`);
    const users = sourcesIn('shared', 'functions').filter(
      ({ path, text }) =>
        (word.test(text) && !path.startsWith('shared/contract/')) ||
        (code === 'VALIDATION_ERROR' && path.endsWith('errors.ts')) ||
        (code === 'UNAUTHORIZED' && path.endsWith('errors.ts')),
    );
    ok(users.length > 0, `nothing throws ${code}`);
    ok(errorDescriptions[code].length > 10);
  });
}

// What no route matches is the fallback's to answer; everything else is some endpoint's.
test('every code is some endpoint’s, or the fallback’s', () => {
  const possible = new Set(endpoints.flatMap((endpoint) => errorsOf(endpoint)));
  deepEqual(
    codes.filter((code) => !possible.has(code)),
    ['METHOD_NOT_ALLOWED'],
  );
});

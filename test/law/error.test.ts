/** The error codes and their statuses are those of the interface. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError, type ErrorCode, errors } from '../../shared/contract/errors.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { errorDescriptions, errorsOf } from '../../shared/contract/openapi/error-responses.ts';
import { sourcesIn } from '../harness/law/source-files.ts';

/** All codes of the interface by status. */
const agreed: Readonly<Record<number, readonly string[]>> = {
  400: ['VALIDATION_ERROR', 'AUTHORIZATION_PENDING', 'SLOW_DOWN', 'EXPIRED_TOKEN'],
  401: ['UNAUTHORIZED'],
  403: ['FORBIDDEN', 'PERMISSION_DENIED', 'ACCESS_DENIED'],
  404: [
    'NOT_FOUND',
    'ORGANIZATION_NOT_FOUND',
    'WEBHOOK_NOT_FOUND',
    'PROJECT_NOT_FOUND',
    'BACKUP_NOT_FOUND',
    'COLLECTION_NOT_FOUND',
    'DOCUMENT_NOT_FOUND',
    'RESTORE_NOT_FOUND',
    'EXPORT_NOT_FOUND',
    'SCHEDULE_NOT_FOUND',
    'RESTORE_TEST_NOT_FOUND',
    'STORAGE_NOT_FOUND',
    'DELIVERY_NOT_FOUND',
    'ALERT_NOT_FOUND',
    'INCIDENT_NOT_FOUND',
    'ERASURE_NOT_FOUND',
    'INVITATION_NOT_FOUND',
    'MEMBER_NOT_FOUND',
    'SERVICE_ACCOUNT_NOT_FOUND',
    'API_KEY_NOT_FOUND',
  ],
  405: ['METHOD_NOT_ALLOWED'],
  409: [
    'INVITATION_EXISTS',
    'CANNOT_REMOVE_OWNER',
    'SERVICE_ACCOUNT_EXISTS',
    'SLUG_TAKEN',
    'JOB_IN_PROGRESS',
    'EVIDENCE_ALTERED',
    'CONFLICT',
  ],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  422: ['IDEMPOTENCY_KEY_REUSED', 'SOURCE_AUTH_ERROR', 'SOURCE_NOT_FOUND', 'SOURCE_NOT_SUPPORTED', 'STORAGE_ERROR'],
  429: ['RATE_LIMITED'],
  500: ['INTERNAL_ERROR'],
  503: ['SERVICE_UNAVAILABLE'],
};

const codes = Object.keys(errors) as ErrorCode[];

for (const code of codes) {
  test(`${code} has the status of the interface, and a description`, () => {
    ok(agreed[errors[code]]?.includes(code), `${code} does not have the status ${errors[code]} in the interface`);
    equal(new ApiError(code, '').status, errors[code]);
  });

  test(`${code} is thrown and has a description`, () => {
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

// Unmatched routes belong to the fallback; all other codes belong to an endpoint.
test('errors: every code belongs to an endpoint or to the fallback', () => {
  const possible = new Set(endpoints.flatMap((endpoint) => errorsOf(endpoint)));
  deepEqual(
    codes.filter((code) => !possible.has(code)),
    ['METHOD_NOT_ALLOWED'],
  );
});

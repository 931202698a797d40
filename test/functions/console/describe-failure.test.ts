import { deepEqual, match } from 'node:assert/strict';
import { test } from 'vitest';
import { describeFailure } from '../../../functions/console/app/format/describe-failure.ts';
import { ApiFailure } from '../../../shared/client/index.ts';

const adviceOf = (details: Record<string, unknown>): string | undefined =>
  describeFailure(
    new ApiFailure({ route: 'POST /x', status: 409, code: 'CONFLICT', message: 'x', details, requestId: null, retryAfter: null }),
  ).advice;

test('describeFailure: a conflict advises to reload only where another state of the page can help', () => {
  match(String(adviceOf({})), /^Reload the page/);
  match(String(adviceOf({ status: 'completed' })), /^Reload the page/);
  deepEqual([{ pointInTime: '2026-11-16T08:00:00Z' }, { max: 5 }, { lockedUntil: '2026-12-01T00:00:00Z' }].map(adviceOf), [
    'Choose another point in time, or a backup.',
    undefined,
    undefined,
  ]);
});

test('describeFailure: a message that ends with its advice gets no other', () => {
  const failure = (message: string) =>
    new ApiFailure({
      ...{ route: 'GET /x', status: 503, code: 'SERVICE_UNAVAILABLE', message },
      ...{ details: {}, requestId: null, retryAfter: null },
    });
  deepEqual(
    ['The service is temporarily unavailable. Try again shortly', 'Busy'].map(
      (message) => describeFailure(failure(message)).advice,
    ),
    [undefined, 'Try again in a moment.'],
  );
});

import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError, errors, invalid } from '../../../shared/contract/errors.ts';
import { asApiError, errorResponse, fileResponse, redirectResponse } from '../../../shared/http/responses.ts';

const error = new ApiError('SLUG_TAKEN', 'Taken', { field: 'slug' }, { headers: { 'x-more': '1' } });

test('errorResponse: an error is sent in the envelope', () => {
  const { statusCode, headers, body } = errorResponse(error, 'r1', undefined);
  equal(statusCode, 409);
  equal(headers['content-type'], 'application/json; charset=utf-8');
  equal(headers['x-more'], '1');
  deepEqual(JSON.parse(body!), {
    success: false,
    error: { code: 'SLUG_TAKEN', message: 'Taken', details: { field: 'slug' }, requestId: 'r1' },
  });
});

for (const accept of [
  'application/problem+json',
  'application/json;q=0.5, application/problem+json',
  'Application/Problem+JSON; q=0.1',
])
  test(`errorResponse: Accept ${accept} gets the error as RFC 9457 problem details`, () => {
    const { statusCode, headers, body } = errorResponse(error, 'r1', accept);
    equal(statusCode, 409);
    equal(headers['content-type'], 'application/problem+json');
    deepEqual(JSON.parse(body!), {
      type: 'urn:backup-management-service:error:SLUG_TAKEN',
      title: 'Slug taken',
      status: 409,
      detail: 'Taken',
      code: 'SLUG_TAKEN',
      details: { field: 'slug' },
      requestId: 'r1',
    });
  });

for (const accept of ['application/json, application/problem+json;q=0', '*/*', 'application/*'])
  test(`errorResponse: Accept ${accept} gets the envelope`, () => {
    equal(errorResponse(error, 'r1', accept).headers['content-type'], 'application/json; charset=utf-8');
  });

test('errorResponse: details is an object, also if the error has none', () => {
  const plain = new ApiError('UNAUTHORIZED', 'No');
  deepEqual((JSON.parse(errorResponse(plain, 'r1', undefined).body!) as { error: { details: object } }).error.details, {});
  deepEqual((JSON.parse(errorResponse(plain, 'r1', 'application/problem+json').body!) as { details: object }).details, {});
});

test('errorResponse: a single validation error is also the only entry of details.errors', () => {
  const single = { field: 'url', reason: 'must be a valid HTTPS URL' };
  const { error: sent } = JSON.parse(errorResponse(invalid(single.field, single.reason), 'r1', undefined).body!) as {
    error: { details: object };
  };
  deepEqual(sent.details, { ...single, errors: [single] });
});

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

test('errorResponse: a browser gets a page that loads and runs nothing, with the message escaped', () => {
  const hostile = new ApiError('VALIDATION_ERROR', '<script>alert("x")</script>', { field: 'x' });
  const { statusCode, headers, body } = errorResponse(hostile, 'r1<', browser);
  equal(statusCode, 400);
  equal(headers['content-type'], 'text/html; charset=utf-8');
  ok(headers['content-security-policy']?.startsWith("default-src 'none'"));
  ok(body?.includes('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;') && body.includes('r1&lt;') && !body.includes('<script'));
});

for (const accept of [
  undefined,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'text/html;q=0.1, application/json',
])
  test(`errorResponse: Accept ${accept} gets JSON`, () =>
    equal(errorResponse(error, 'r1', accept).headers['content-type'], 'application/json; charset=utf-8'));

test('asApiError: any other error is a 500 without details that keeps its cause', () => {
  const secret = new Error('password hunter2 at table arn:aws:dynamodb');
  const known = asApiError(secret);
  equal(known.status, 500);
  equal(known.cause, secret);
  ok(!errorResponse(known, 'r1', undefined).body?.includes('hunter2'));
});

test('asApiError: a transient error of AWS is a 503 with Retry-After', () => {
  const known = asApiError(Object.assign(new Error('x'), { name: 'ThrottlingException' }));
  equal(known.code, 'SERVICE_UNAVAILABLE');
  equal(known.headers['retry-after'], '1');
});

test('responses: every response forbids content sniffing and caching, unless its own headers differ', () => {
  for (const response of [
    errorResponse(error, 'r', undefined),
    redirectResponse('/x'),
    fileResponse({ body: '', contentType: 'text/csv' }),
  ]) {
    equal(response.headers['x-content-type-options'], 'nosniff');
    equal(response.headers['cache-control'], 'no-store');
    ok(response.headers['strict-transport-security']);
  }
  const file = { body: '', contentType: 'text/csv', headers: { 'cache-control': 'public' } };
  equal(fileResponse(file).headers['cache-control'], 'public');
});

test('errors: every code has a status from 400 to 599', () => {
  for (const status of Object.values(errors)) ok(status >= 400 && status < 600);
});

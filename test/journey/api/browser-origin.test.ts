/** A page on an allowed origin may call; a browser asks first, and the answer must be good or the page never gets to call. */
import { equal } from 'node:assert/strict';
import { test } from 'vitest';

const ask = (origin: string, path = '/api/v1/organizations') =>
  fetch(`${process.env.STAGE_URL}${path}`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
  });

test('a preflight from an allowed origin is good and names it', async () => {
  const { status, headers } = await ask('https://app.example.com');
  equal(status, 204);
  equal(headers.get('access-control-allow-origin'), 'https://app.example.com');
  equal(headers.get('access-control-allow-credentials'), 'true');
});

test('another origin is allowed nothing', async () => {
  equal((await ask('https://app.example.com.evil.io')).headers.get('access-control-allow-origin'), null);
});

test('OPTIONS that is no preflight is a method like any other', async () => {
  const { status } = await fetch(`${process.env.STAGE_URL}/api/v1/organizations`, { method: 'OPTIONS' });
  equal(status, 405);
});

/** CORS: pages of allowed origins can call the API. */
import { equal } from 'node:assert/strict';
import { test } from 'vitest';

const ask = (origin: string, path = '/api/v1/organizations') =>
  fetch(`${process.env.STAGE_URL}${path}`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
  });

test('CORS: a preflight from an allowed origin succeeds and names it', async () => {
  const { status, headers } = await ask('https://app.example.com');
  equal(status, 204);
  equal(headers.get('access-control-allow-origin'), 'https://app.example.com');
  equal(headers.get('access-control-allow-credentials'), 'true');
  // Its only route is that of a GET endpoint, which gets preflights, too.
  equal((await ask('https://app.example.com', '/api/v1/auth/me')).status, 204);
});

test('CORS: another origin is not allowed', async () => {
  equal((await ask('https://app.example.com.evil.io')).headers.get('access-control-allow-origin'), null);
});

test('CORS: OPTIONS without a preflight header is an ordinary method', async () => {
  const { status } = await fetch(`${process.env.STAGE_URL}/api/v1/organizations`, { method: 'OPTIONS' });
  equal(status, 405);
});

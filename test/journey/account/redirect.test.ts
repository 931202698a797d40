import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { auth } from '../../../shared/contract/endpoints/auth.ts';
import { api } from '../../harness/stage/client.ts';

const redirect_uri = 'http://localhost:51004/callback';
const begin = (query: string) => api('GET', `${auth.google.path}?${query}`);

for (const uri of [
  'http://localhost:1/callback',
  'http://127.0.0.1:65535/cb',
  'http://[::1]:8080/',
  'https://app.example.com/callback',
]) {
  test(`redirect: ${uri} may receive a code`, async () =>
    equal((await begin(`redirect_uri=${encodeURIComponent(uri)}`)).status, 302));
}

for (const uri of [
  '',
  'https://evil.io/callback',
  'https://app.example.com.evil.io/callback',
  'https://app.example.com@evil.io/callback',
  'https://app.example.com/callback/more',
  'https://app.example.com/callback?x=1',
  'https://app.example.com/callback#x',
  'https://app.example.com:8443/callback',
  'http://app.example.com/callback',
  '//evil.io',
  '\\evil.io',
  '%2f%2fevil.io',
  'javascript:alert(1)',
  'data:text/html,hi',
  'http://localhost:8080@evil.io/callback',
  'http://localhost:8080/elsewhere',
]) {
  test(`redirect: ${JSON.stringify(uri)} gets VALIDATION_ERROR and no redirect`, async () => {
    const { status, body, headers } = await begin(`redirect_uri=${encodeURIComponent(uri)}`);
    equal(status, 400);
    equal(body.error.code, 'VALIDATION_ERROR');
    equal(body.error.details.field, 'redirect_uri');
    equal(headers.get('location'), null);
    deepEqual(headers.getSetCookie(), []);
  });
}

test('redirect: a repeated redirect_uri and unknown parameters are refused', async () => {
  const one = encodeURIComponent(redirect_uri);
  const twice = await begin(`redirect_uri=${one}&redirect_uri=${one}`);
  deepEqual([twice.status, twice.body.error.details.field], [400, 'redirect_uri']);
  const unknown = await begin(`redirectUri=${one}`);
  deepEqual([unknown.status, unknown.body.error.details.field], [400, 'redirectUri']);
});

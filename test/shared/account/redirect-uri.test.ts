import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { isAllowedRedirect, withParameters } from '../../../shared/account/redirect-uri.ts';

const allowed = ['https://app.example.com/callback', 'http://localhost/callback', 'http://127.0.0.1:4000/cb', 'http://[::1]/cb'];

for (const uri of [
  'https://app.example.com/callback',
  'http://localhost/callback',
  'http://localhost:1/callback',
  'http://localhost:65535/callback',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:51004/cb',
  'http://[::1]:8080/cb',
]) {
  test(`isAllowedRedirect: ${uri} matches an entry, except for a loopback port`, () =>
    equal(isAllowedRedirect(uri, allowed), true));
}

for (const uri of [
  '',
  'https://app.example.com',
  'https://app.example.com/',
  'https://app.example.com/callback/',
  'https://app.example.com/callback/extra',
  'https://app.example.com/callback?next=1',
  'https://app.example.com/callback?',
  'https://app.example.com/callback#x',
  'https://app.example.com:443/callback',
  'https://app.example.com:8443/callback',
  'http://app.example.com/callback',
  'https://APP.example.com/callback',
  'https://app.example.com.evil.io/callback',
  'https://app.example.com@evil.io/callback',
  'https://evil.io/https://app.example.com/callback',
  'https://app.example.com/callback/../evil',
  'https://app.example.com/%63allback',
  ' https://app.example.com/callback',
  'https://app.example.com/callback\n',
  'https://app.example.com\\@evil.io/callback',
  '//app.example.com/callback',
  '//evil.io',
  '\\evil.io',
  '%2f%2fevil.io',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://localhost/callback',
  'http://localhost:0/callback',
  'http://localhost:65536/callback',
  'http://localhost:080/callback',
  'http://localhost:/callback',
  'http://localhost:80@evil.io/callback',
  'http://localhost.evil.io/callback',
  'http://localhost@evil.io/callback',
  'http://localhost:8080/callback?x=1',
  'http://localhost:8080/callback#x',
  'http://localhost:8080/cb',
  'http://localhost:8080/callback/',
  'http://127.0.0.2:51004/cb',
  'http://127.1/cb',
  'http://2130706433/cb',
  'http://[::ffff:127.0.0.1]/cb',
  'http://0.0.0.0/cb',
]) {
  test(`isAllowedRedirect: ${JSON.stringify(uri)} matches no entry`, () => equal(isAllowedRedirect(uri, allowed), false));
}

test('isAllowedRedirect: an empty list allows nothing, not even loopback', () =>
  equal(isAllowedRedirect('http://localhost/callback', []), false));

test('withParameters: parameters are added to an existing query, encoded, and undefined ones are omitted', () => {
  equal(withParameters('http://localhost:5/cb', { code: 'a-b_c', state: undefined }), 'http://localhost:5/cb?code=a-b_c');
  equal(
    withParameters('https://app.example.com/cb?x=1', { code: 'c', state: 'a&b=1' }),
    'https://app.example.com/cb?x=1&code=c&state=a%26b%3D1',
  );
  equal(withParameters('com.example.app:/oauth', { code: 'c' }), 'com.example.app:/oauth?code=c');
});

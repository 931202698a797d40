import { deepEqual, equal, match } from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { openState } from '../../../../../infra/local/base/stage-state.ts';
import { openGoogleToken } from '../../../../../infra/local/engines/identity/google-token.ts';

const dir = mkdtempSync(join(tmpdir(), 'google-token-'));
const state = openState(dir);
afterAll(() => {
  state.close();
  rmSync(dir, { recursive: true });
});
const url = 'http://localhost:1/google/token';
const google = openGoogleToken(url, state);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const now = Math.floor(Date.now() / 1_000);
const claims = { iss: 'a@p.iam.gserviceaccount.com', scope: 's', aud: url, iat: now, exp: now + 3_600 };
const ask = (
  more: object = {},
  key: Parameters<ReturnType<typeof createSign>['sign']>[0] = privateKey,
  header = { alg: 'RS256' },
) => {
  const text = [header, { ...claims, ...more }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const assertion = `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
  return google.token(new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }));
};

test('google token: a valid assertion gets a token', () => {
  const { status, body } = ask();
  equal(status, 200);
  match(String(body.access_token), /^local-google\./);
  equal(body.token_type, 'Bearer');
});

for (const [what, more] of [
  ['for another audience', { aud: 'https://oauth2.googleapis.com/token' }],
  ['without scope', { scope: '' }],
  ['without issuer', { iss: 'nobody' }],
  ['that has expired', { iat: now - 7_200, exp: now - 3_600 }],
  ['issued in the future', { iat: now + 600, exp: now + 1_200 }],
  ['valid for a day', { exp: now + 86_400 }],
  ['of a disabled account', { iss: 'denied@p.iam.gserviceaccount.com' }],
] as const)
  test(`google token: an assertion ${what} is an invalid_grant`, () => {
    const { status, body } = ask(more);
    deepEqual([status, body.error], [400, 'invalid_grant']);
  });

test('google token: a malformed assertion, or one not signed with RSA, is rejected', () => {
  for (const assertion of ['', 'x', 'a.b.c', 'a.b.c.d'])
    equal(
      google.token(new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })).status,
      400,
    );
  equal(google.token(new URLSearchParams({ grant_type: 'password' })).body.error, 'unsupported_grant_type');
  equal(ask({}, privateKey, { alg: 'none' }).body.error, 'invalid_grant');
});

test('google token: an account with a key created here must sign with that key, also after a restart', async () => {
  const iss = 'made@p.iam.gserviceaccount.com';
  const { body } = await google.makeKey(iss);
  equal(body.client_email, iss);
  equal(ask({ iss }, String(body.private_key)).status, 200);
  deepEqual(ask({ iss }).body, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
});

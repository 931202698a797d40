import { equal, rejects, throws } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { authenticate, rateIdentity, refuseForeignOrigin } from '../../../shared/http/authenticate.ts';
import { parseRequest } from '../../../shared/http/parse-request.ts';
import { newKeyToken } from '../../../shared/organization/index.ts';
import { newId } from '../../../shared/platform/index.ts';
import { eventOf, type Request } from '../../harness/aws/api-event.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';

const aws = await scriptAws();
afterAll(aws.stop);
Object.assign(process.env, {
  PUBLIC_URL: 'https://api.example.com',
  ALLOWED_ORIGINS: 'https://app.example.com, http://localhost:5173',
  TOKEN_KEY_IDS: '',
});

const incoming = (request: Request) => parseRequest(eventOf(request));
const apiKey = newKeyToken(newId('serviceAccount'));

for (const authorization of [
  'Basic dXNlcjpwYXNz',
  'Bearer',
  'Bearer ',
  `Bearer ${apiKey} ${apiKey}`,
  `Bearer ${apiKey},Bearer ${apiKey}`,
  apiKey,
  `Bearer ${apiKey.toLowerCase()}`,
  `Bearer ${apiKey.slice(0, -1)}`,
  `Bearer ${apiKey}A`,
  'Bearer fb_sa_',
  'Bearer fb_sk_live_1',
  `Bearer ${'a.'.repeat(50_000)}`,
  'Bearer a.b.c',
])
  test(`authenticate: Authorization ${authorization.slice(0, 50)} is UNAUTHORIZED`, () =>
    rejects(authenticate(incoming({ headers: { authorization } })), {
      code: 'UNAUTHORIZED',
      headers: { 'www-authenticate': 'Bearer' },
    }));

test('authenticate: without Authorization and cookie a call is UNAUTHORIZED; a token in the query is ignored', () =>
  rejects(authenticate(incoming({ query: `access_token=${apiKey}` })), {
    code: 'UNAUTHORIZED',
    message: 'Credentials are missing: send the header Authorization: Bearer <access token or API key>',
  }));

test('authenticate: an API key contains the id of its account', async () => {
  const found = await authenticate(incoming({ headers: { authorization: `bearer ${apiKey}` } }));
  equal(found.kind, 'key');
});

// A caller that only knows an account's id must not be able to use up its requests.
test('rateIdentity: two keys with the same account id are counted separately', async () => {
  const account = newId('serviceAccount');
  const identity = async (key: string) =>
    rateIdentity(await authenticate(incoming({ headers: { authorization: `Bearer ${key}` } })));
  const [mine, guessed] = [newKeyToken(account), newKeyToken(account)];
  equal((await identity(mine)) === (await identity(guessed)), false);
  equal(await identity(mine), await identity(mine));
});

for (const origin of ['https://app.example.com', 'http://localhost:5173', 'https://api.example.com'])
  test(`refuseForeignOrigin: a change by cookie from ${origin} is allowed`, () =>
    refuseForeignOrigin(incoming({ method: 'POST', headers: { origin } })));
for (const origin of [
  undefined,
  'null',
  'https://evil.example',
  'https://app.example.com.evil.io',
  'HTTPS://app.example.com',
  'https://app.example.com/',
])
  test(`refuseForeignOrigin: a change by cookie from ${origin} is FORBIDDEN`, () =>
    throws(() => refuseForeignOrigin(incoming({ method: 'DELETE', headers: origin ? { origin } : {} })), { code: 'FORBIDDEN' }));
for (const method of ['GET', 'HEAD'])
  test(`refuseForeignOrigin: a ${method} by cookie needs no Origin`, () => refuseForeignOrigin(incoming({ method })));

import { equal, rejects, throws } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { authenticate, rateIdentity, refuseForeignOrigin } from '../../../shared/http/authenticate.ts';
import { parseRequest } from '../../../shared/http/parse-request.ts';
import { newApiKey } from '../../../shared/organization/index.ts';
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
const apiKey = newApiKey(newId('serviceAccount'));

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
  test(`Authorization: ${authorization.slice(0, 50)} is nobody`, () =>
    rejects(authenticate(incoming({ headers: { authorization } })), {
      code: 'UNAUTHORIZED',
      headers: { 'www-authenticate': 'Bearer' },
    }));

test('no Authorization and no cookie is nobody, and a token in the query is not looked at', () =>
  rejects(authenticate(incoming({ query: `access_token=${apiKey}` })), { code: 'UNAUTHORIZED' }));

test('a key names its account', async () => {
  const found = await authenticate(incoming({ headers: { authorization: `bearer ${apiKey}` } }));
  equal(found.kind, 'key');
});

// Whoever knows an account's id must not be able to use up its requests.
test('two keys that name one account are counted apart', async () => {
  const account = newId('serviceAccount');
  const identity = async (key: string) =>
    rateIdentity(await authenticate(incoming({ headers: { authorization: `Bearer ${key}` } })));
  const [mine, guessed] = [newApiKey(account), newApiKey(account)];
  equal((await identity(mine)) === (await identity(guessed)), false);
  equal(await identity(mine), await identity(mine));
});

for (const origin of ['https://app.example.com', 'http://localhost:5173', 'https://api.example.com'])
  test(`a page at ${origin} may change things by cookie`, () =>
    refuseForeignOrigin(incoming({ method: 'POST', headers: { origin } })));
for (const origin of [
  undefined,
  'null',
  'https://evil.example',
  'https://app.example.com.evil.io',
  'HTTPS://app.example.com',
  'https://app.example.com/',
])
  test(`a page at ${origin} may not`, () =>
    throws(() => refuseForeignOrigin(incoming({ method: 'DELETE', headers: origin ? { origin } : {} })), { code: 'FORBIDDEN' }));
test('reading by cookie needs no Origin', () => refuseForeignOrigin(incoming({ method: 'GET' })));

import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, test } from 'vitest';
import { googleAccessToken, readPrivateKey, TokenError } from '../../../../shared/platform/index.ts';

const { publicKey, privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = { clientEmail: 'backup@p.iam.gserviceaccount.com', privateKey };
const scopes = ['https://www.googleapis.com/auth/datastore', 'https://www.googleapis.com/auth/firebase'];

let forms: URLSearchParams[] = [];
let answer: (response: ServerResponse) => void;
const say = (status: number, body: unknown) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const server = createServer(async (request, response) => {
  forms.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()));
  answer(response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
beforeEach(() => {
  process.env.GOOGLE_TOKEN_URL = url;
  forms = [];
  answer = say(200, { access_token: 'the token', expires_in: 1_800, token_type: 'Bearer' });
});

test('googleAccessToken: the assertion is signed by the account, for the given scopes and one hour', async () => {
  const before = Date.now();
  const { token, expiresAtMs } = await googleAccessToken(account, scopes);
  equal(token, 'the token');
  ok(expiresAtMs >= before + 1_800_000 && expiresAtMs <= Date.now() + 1_800_000);
  equal(forms[0]!.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [header, payload, signature] = forms[0]!.get('assertion')!.split('.') as [string, string, string];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  deepEqual(read(header), { alg: 'RS256', typ: 'JWT' });
  const { iat, exp, ...rest } = read(payload);
  deepEqual(rest, { iss: account.clientEmail, scope: scopes.join(' '), aud: url });
  equal(Number(exp) - Number(iat), 3_600);
  ok(createVerify('RSA-SHA256').update(`${header}.${payload}`).verify(publicKey, signature, 'base64url'));
});

for (const [what, reply, isTransient] of [
  ['an account that is gone', say(400, { error: 'invalid_grant', error_description: 'canary' }), false],
  ['a client it does not know', say(401, { error: 'invalid_client' }), false],
  ['a server error', say(500, { error: 'internal_failure' }), true],
  ['a server error with a refusal’s word', say(503, { error: 'invalid_grant' }), true],
  ['too many requests', say(429, { error: 'rate_limit_exceeded' }), true],
  ['a page in place of an answer', (response: ServerResponse) => void response.writeHead(400).end('<html>'), true],
  ['an answer without a token', say(200, { expires_in: 1 }), true],
  ['a redirect', (response: ServerResponse) => void response.writeHead(302, { location: '/x' }).end(), true],
  ['a dropped connection', (response: ServerResponse) => void response.destroy(), true],
] as const)
  test(`googleAccessToken: ${what} is a ${isTransient ? 'transient' : 'permanent'} error`, async () => {
    answer = reply;
    await rejects(googleAccessToken(account, scopes), (error) => {
      ok(error instanceof TokenError);
      equal(error.isTransient, isTransient);
      ok(!`${error.message}${error.stack}`.includes('canary') && !error.message.includes('PRIVATE'));
      return true;
    });
    equal(forms.length, 1);
  });

test('readPrivateKey: only an RSA private key is accepted, also with escaped line breaks', () => {
  ok(readPrivateKey(privateKey));
  ok(readPrivateKey(privateKey.replaceAll('\n', '\\n')));
  ok(readPrivateKey(key.export({ type: 'pkcs1', format: 'pem' }).toString()));
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const text of [
    '',
    'x',
    ec.toString(),
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey.slice(0, 400),
  ])
    equal(readPrivateKey(text), undefined, text.slice(0, 30));
});

test('googleAccessToken: an invalid key is rejected without a request', async () => {
  await rejects(googleAccessToken({ ...account, privateKey: 'x' }, scopes), TokenError);
  equal(forms.length, 0);
});

import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, test } from 'vitest';
import { grantAccessToken } from '../../../shared/account/grant-access-token.ts';
import { accountKey, type GrantRecord } from '../../../shared/account/record.ts';
import { commit, openSecret, sealSecret, TokenError } from '../../../shared/platform/index.ts';
import { Fault, scriptAws } from '../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const userId = 'usr_01JWNVAV000000000000000001';
const context = { user: userId, purpose: 'provider-grant' };
const datastore = 'https://www.googleapis.com/auth/datastore';
const canary = 'refresh-token-canary';

let issuer = '';
let forms: URLSearchParams[] = [];
let answers: ((response: ServerResponse) => void)[] = [];
const say = (status: number, body: object) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const tokens = (more: object = {}) => say(200, { access_token: 'the token', token_type: 'Bearer', expires_in: 60, ...more });
const server = createServer(async (request, response) => {
  if (request.url === '/.well-known/openid-configuration')
    return say(200, { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` })(response);
  forms.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()));
  return (answers.shift() ?? tokens())(response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const aws = await scriptAws();
afterAll(() => {
  aws.stop();
  server.close();
  server.closeAllConnections();
});
Object.assign(process.env, {
  ...{ IDENTITY_ISSUER: issuer, IDENTITY_CLIENT_ID: 'client', IDENTITY_SECRET_ID: 'secret', SECRETS_KEY_ID: 'key' },
});

let table: InMemoryTable;
beforeEach(async () => {
  [forms, answers, table] = [[], [], new InMemoryTable()];
  aws.play({
    ...table.script,
    GetSecretValue: () => ({ SecretString: 'client secret' }),
    Encrypt: ({ Plaintext, EncryptionContext }) => ({
      CiphertextBlob: Buffer.from(JSON.stringify([Plaintext, EncryptionContext])).toString('base64'),
    }),
    Decrypt: ({ CiphertextBlob, EncryptionContext }) => {
      const [plain, sealed] = JSON.parse(Buffer.from(String(CiphertextBlob), 'base64').toString()) as [string, object];
      const isSame = JSON.stringify(sealed) === JSON.stringify(EncryptionContext);
      return isSame ? { Plaintext: plain } : new Fault('InvalidCiphertextException');
    },
  });
  await keep(canary, '2026-01-01T00:00:00.000Z');
});
const keep = async (refreshToken: string, updatedAt: string, scopes = ['openid', datastore]) =>
  commit([{ put: { ...accountKey.grant(userId), sealed: await sealSecret(refreshToken, context), scopes, updatedAt } }]);
const kept = async () => openSecret(table.get<GrantRecord>(accountKey.grant(userId))!.sealed, context);

test('grantAccessToken: the stored refresh token is exchanged for an access token', async () => {
  const { token, expiresAtMs } = await grantAccessToken(userId, [datastore]);
  equal(token, 'the token');
  ok(expiresAtMs <= Date.now() + 60_000 && expiresAtMs > Date.now() + 50_000);
  deepEqual(Object.fromEntries(forms[0]!), {
    grant_type: 'refresh_token',
    refresh_token: canary,
    client_id: 'client',
    client_secret: 'client secret',
  });
  equal(await kept(), canary);
});

test('grantAccessToken: a new refresh token of the provider is stored', async () => {
  answers = [tokens({ refresh_token: 'the next' })];
  await grantAccessToken(userId, [datastore]);
  equal(await kept(), 'the next');
  await grantAccessToken(userId, [datastore]);
  equal(forms[1]!.get('refresh_token'), 'the next');
});

test('grantAccessToken: a rotated refresh token does not overwrite that of a concurrent sign-in', async () => {
  answers = [
    (response) =>
      void keep('signed in anew', '2026-02-01T00:00:00.000Z').then(() => tokens({ refresh_token: 'the next' })(response)),
  ];
  equal((await grantAccessToken(userId, [datastore])).token, 'the token');
  equal(await kept(), 'signed in anew');
});

test('grantAccessToken: if another call rotated the refresh token, the new one is used', async () => {
  answers = [
    (response) => void keep('the next', '2026-02-01T00:00:00.000Z').then(() => say(400, { error: 'invalid_grant' })(response)),
  ];
  equal((await grantAccessToken(userId, [datastore])).token, 'the token');
  deepEqual(
    forms.map((form) => form.get('refresh_token')),
    [canary, 'the next'],
  );
});

const isRefused = (isTransient: boolean) => (error: unknown) => {
  ok(error instanceof TokenError);
  equal(error.isTransient, isTransient);
  ok(!`${error.message}${error.stack}${JSON.stringify(error.cause ?? null)}`.includes(canary));
  return true;
};

for (const [what, reply, isTransient] of [
  ['invalid_grant', say(400, { error: 'invalid_grant', error_description: canary }), false],
  ['a policy of the person’s employer', say(400, { error: 'admin_policy_enforced' }), false],
  ['a client it does not know', say(401, { error: 'invalid_client' }), true],
  ['a server error', say(500, { error: 'server_error' }), true],
  ['invalid_grant within a server error', say(503, { error: 'invalid_grant' }), true],
  ['an error page', (response: ServerResponse) => void response.writeHead(502).end('<html>'), true],
  ['a dropped connection', (response: ServerResponse) => void response.destroy(), true],
] as const)
  test(`grantAccessToken: ${what} is a ${isTransient ? 'transient' : 'permanent'} error`, async () => {
    answers = [reply];
    await rejects(grantAccessToken(userId, [datastore]), isRefused(isTransient));
    equal(forms.length, 1);
  });

test('grantAccessToken: a consent without a required scope is refused by the scope’s name, without a request', async () => {
  await keep(canary, '2026-02-01T00:00:00.000Z', ['openid']);
  await rejects(grantAccessToken(userId, [datastore]), (error) => {
    match((error as Error).message, /auth\/datastore/);
    return isRefused(false)(error);
  });
  equal(forms.length, 0);
});

test('grantAccessToken: a user without a grant is asked to sign in and allow access', async () => {
  await commit([{ remove: accountKey.grant(userId) }]);
  await rejects(grantAccessToken(userId, [datastore]), isRefused(false));
});

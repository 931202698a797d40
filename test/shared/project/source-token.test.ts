import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, test } from 'vitest';
import { SourceError } from '../../../shared/firestore/index.ts';
import { TokenError, unsafeTenant } from '../../../shared/platform/index.ts';
import type { ProjectRecord } from '../../../shared/project/index.ts';
import { sourceToken } from '../../../shared/project/source-token.ts';
import { Fault, scriptAws } from '../../harness/aws/scripted-aws.ts';

const tenant = unsafeTenant('org_01JWNVAV000000000000000000', 'record');
const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const plain = Buffer.from(key).toString('base64');
const account = (n: number): Pick<ProjectRecord, 'id' | 'connection'> => ({
  id: `prj_01JWNVAV00000000000000000${n}`,
  connection: { type: 'service_account', email: `a${n}@b.c`, sealed: new Uint8Array([n]) },
});
const person: Pick<ProjectRecord, 'id' | 'connection'> = {
  id: 'prj_01JWNVAV000000000000000009',
  connection: { type: 'user', userId: 'usr_01JWNVAV000000000000000001', email: 'ann@example.com' },
};

let assertions: Record<string, string>[] = [];
let lifetime = 3_600;
let reply: ((response: ServerResponse) => void) | undefined;
const google = createServer(async (request, response) => {
  const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
  assertions.push(JSON.parse(Buffer.from(form.get('assertion')!.split('.')[1]!, 'base64url').toString()));
  if (reply) return reply(response);
  response.end(JSON.stringify({ access_token: `token ${assertions.length}`, expires_in: lifetime }));
});
await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve));
const aws = await scriptAws();
afterAll(() => {
  aws.stop();
  google.close();
  google.closeAllConnections();
});
process.env.SECRETS_KEY_ID = 'key';
process.env.GOOGLE_TOKEN_URL = `http://127.0.0.1:${(google.address() as AddressInfo).port}/`;
beforeEach(() => {
  [assertions, lifetime, reply] = [[], 3_600, undefined];
  aws.play({ Decrypt: () => ({ Plaintext: plain }), BatchGetItem: () => ({ Responses: { Table: [] } }) });
});
const use = { refresh: false };

test('sourceToken: concurrent callers share one request, and the token is cached until it expires', async () => {
  const token = sourceToken(tenant, account(1));
  deepEqual(await Promise.all([token(use), token(use), token(use)]), ['token 1', 'token 1', 'token 1']);
  equal(await token(use), 'token 1');
  deepEqual(aws.sent('Decrypt')[0]?.EncryptionContext, {
    organization: tenant.organizationId,
    project: account(1).id,
    purpose: 'source-credentials',
  });
});

test('sourceToken: a rejected or expiring token is replaced', async () => {
  const token = sourceToken(tenant, account(1));
  equal(await token(use), 'token 1');
  equal(await token({ refresh: true }), 'token 2');
  equal(await token(use), 'token 2');
  lifetime = 30;
  const short = sourceToken(tenant, account(1));
  equal(await short(use), 'token 3');
  equal(await short(use), 'token 4');
});

test('sourceToken: projects, and documents and users, never share a token', async () => {
  const tokens = await Promise.all([sourceToken(tenant, account(1))(use), sourceToken(tenant, account(2))(use)]);
  equal(new Set(tokens).size, 2);
  await sourceToken(tenant, account(1), 'users')(use);
  equal(assertions[0]?.scope, 'https://www.googleapis.com/auth/datastore');
  ok(assertions[2]?.scope?.includes('identitytoolkit') && !assertions[2].scope.includes('datastore'));
});

test('sourceToken: a permanent rejection is a SourceError; transient errors are thrown unchanged', async () => {
  reply = (response) => response.writeHead(400).end('{"error":"invalid_grant"}');
  await rejects(sourceToken(tenant, account(1))(use), (error) => (error as SourceError).code === 'SOURCE_AUTH_ERROR');
  reply = (response) => response.writeHead(500).end('{}');
  const token = sourceToken(tenant, account(1));
  await rejects(token(use), (error) => error instanceof TokenError && error.isTransient);
  reply = undefined;
  ok(await token(use));
});

test('sourceToken: credentials that were encrypted for another project are rejected', async () => {
  aws.play({ Decrypt: () => new Fault('InvalidCiphertextException') });
  await rejects(sourceToken(tenant, account(1))(use), (error) => (error as SourceError).code === 'SOURCE_AUTH_ERROR');
});

test('sourceToken: the grant of a user who is not a member is not used', async () => {
  await rejects(sourceToken(tenant, person)(use), (error) => {
    ok(error instanceof SourceError && /no longer a member/.test(error.message));
    return error.code === 'SOURCE_AUTH_ERROR';
  });
  deepEqual(aws.sent('Decrypt'), []);
});

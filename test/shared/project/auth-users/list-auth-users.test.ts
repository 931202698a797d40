import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../../infra/local/engines/firestore/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, readAuthUsers } from '../../../../shared/project/index.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';

const tenant = unsafeTenant('org_01JWNVAV000000000000000000', 'record');
const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const projectOf = (sourceProjectId: string) =>
  ({
    id: 'prj_01JWNVAV000000000000000000',
    sourceProjectId,
    connection: { type: 'service_account', email: 'a@b.c', sealed: new Uint8Array([1]) },
  }) as unknown as ProjectRecord;

let tokensGiven = 0;
const google = createServer((_request, response) => {
  tokensGiven += 1;
  response.end(JSON.stringify({ access_token: `token-${tokensGiven}`, expires_in: 3_600 }));
});
const aws = await scriptAws({ Decrypt: () => ({ Plaintext: Buffer.from(key).toString('base64') }) });
let firestore: Firestore;
let tokens: (string | undefined)[] = [];
beforeAll(async () => {
  await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve));
  firestore = await startFirestore({ authorize: (token) => void tokens.push(token) });
  Object.assign(process.env, {
    SECRETS_KEY_ID: 'key',
    IDENTITY_TOOLKIT_URL: firestore.url,
    GOOGLE_TOKEN_URL: `http://127.0.0.1:${(google.address() as AddressInfo).port}/token`,
  });
});
afterAll(async () => {
  aws.stop();
  google.close();
  google.closeAllConnections();
  await firestore.stop();
});
beforeEach(() => {
  [tokens, tokensGiven] = [[], 0];
  firestore.faults.clear();
  process.env.IDENTITY_TOOLKIT_URL = firestore.url;
});

const readAll = async (sourceProjectId: string, signal?: AbortSignal) => {
  const users = [];
  for await (const user of readAuthUsers(tenant, projectOf(sourceProjectId), signal)) users.push(user);
  return users;
};
const id = (n: number) => `user-${String(n).padStart(5, '0')}`;

test('listAuthUsers: every user is listed once with password hash and salt, with one token for all pages', async () => {
  const users = Array.from({ length: 2_000 }, (_, n) => ({
    localId: id(n),
    email: `u${n}@example.com`,
    passwordHash: Buffer.from(`hash ${n}`).toString('base64url'),
    salt: Buffer.from(`salt ${n}`).toString('base64'),
    customAttributes: '{"role":"ü"}',
    createdAt: '1700000000000',
  }));
  firestore.users.put('shop', users);
  const read = await readAll('shop');
  deepEqual(
    read.map((user) => user.id),
    users.map(({ localId }) => localId),
  );
  deepEqual(JSON.parse(read[7]!.json.toString()), users[7]);
  deepEqual([...new Set(tokens)], ['token-1']);
});

test('listAuthUsers: a project without users has an empty list', async () => deepEqual(await readAll('nobody'), []));

test('listAuthUsers: a project without Firebase Authentication has an empty list', async (t) => {
  const unused = createServer((_request, response) => {
    response.writeHead(400).end(JSON.stringify({ error: { code: 400, message: 'CONFIGURATION_NOT_FOUND' } }));
  });
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  t.onTestFinished(() => void unused.close());
  process.env.IDENTITY_TOOLKIT_URL = `http://127.0.0.1:${(unused.address() as AddressInfo).port}`;
  deepEqual(await readAll('unused'), []);
});

test('listAuthUsers: denied access is a SourceError without a retry', async () => {
  firestore.faults.revoke('denied');
  await rejects(readAll('denied'), (error) => {
    ok(error instanceof SourceError);
    equal(error.code, 'SOURCE_AUTH_ERROR');
    match(error.message, /insufficient permissions/);
    return true;
  });
  equal(tokens.length, 1);
});

test('callToolkit: a rejected token is refreshed once, then access is denied', async () => {
  firestore.faults.revoke('expired', 'UNAUTHENTICATED');
  await rejects(readAll('expired'), (error) => (error as SourceError).code === 'SOURCE_AUTH_ERROR');
  deepEqual(tokens, ['token-1', 'token-2']);
});

test('callToolkit: a transient error is retried, and each page is returned once', async (t) => {
  let asked = 0;
  const stumbling = createServer((_request, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(503).end('{}');
    else if (asked === 2) response.destroy();
    else response.end(JSON.stringify({ users: [{ localId: 'one' }] }));
  });
  await new Promise<void>((resolve) => stumbling.listen(0, '127.0.0.1', resolve));
  t.onTestFinished(() => void stumbling.close());
  process.env.IDENTITY_TOOLKIT_URL = `http://127.0.0.1:${(stumbling.address() as AddressInfo).port}`;
  deepEqual(
    (await readAll('shop')).map((user) => user.id),
    ['one'],
  );
  equal(asked, 3);
});

test('listAuthUsers: an aborted signal ends the listing', async () => {
  await rejects(readAll('shop', AbortSignal.abort()), (error) => (error as SourceError).code === 'CANCELLED');
});

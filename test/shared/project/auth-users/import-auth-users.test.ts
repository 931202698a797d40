import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../../infra/local/engines/firestore/index.ts';
import { SourceError } from '../../../../shared/firestore/index.ts';
import {
  type AuthUser,
  type HashConfig,
  importAuthUsers,
  listAuthUsers,
  lookUpAuthUsers,
  readHashConfig,
  removeAuthUsers,
  type Toolkit,
} from '../../../../shared/project/index.ts';

let firestore: Firestore;
beforeAll(async () => {
  firestore = await startFirestore();
});
afterAll(() => firestore.stop());
beforeEach(() => firestore.faults.clear());

let projects = 0;
const newToolkit = (endpoint = firestore.url): Toolkit => {
  projects += 1;
  return { endpoint, sourceProjectId: `shop-${projects}`, token: async () => 'token' };
};
const bytes = (text: string) => Buffer.from(text).toString('base64url');
const account = (localId: string, more: object = {}) => ({
  localId,
  email: `${localId}@example.com`,
  emailVerified: true,
  disabled: false,
  createdAt: '1700000000000',
  lastLoginAt: '1700000000001',
  validSince: '1700000000',
  customAttributes: '{"role":"ü"}',
  ...more,
});
/** A listed user, with the fields that the service sets. */
const withPassword = (localId: string, more: object = {}) => {
  const email = `${localId}@example.com`;
  return account(localId, {
    passwordHash: bytes(`>>>???hash of ${localId}`),
    salt: bytes(`>>>???salt of ${localId}`),
    passwordUpdatedAt: 1700000000000,
    providerUserInfo: [
      { providerId: 'google.com', rawId: '42', email: 'g@example.com' },
      { providerId: 'password', rawId: email, email, federatedId: email },
    ],
    ...more,
  });
};
const asUser = (one: { localId: string }): AuthUser => ({ id: one.localId, json: Buffer.from(JSON.stringify(one)) });
const all = async (toolkit: Toolkit): Promise<readonly Record<string, unknown>[]> => {
  const users = [];
  for await (const { json } of listAuthUsers(toolkit)) users.push(JSON.parse(json.toString()));
  return users;
};
const hash: HashConfig = { algorithm: 'SCRYPT', signerKey: 'a+b/', saltSeparator: 'Bw==', rounds: 8, memoryCost: 14 };
const options = { hash, overwrite: true };

test('importAuthUsers: a user is imported as listed, with the same hash and salt; a repetition changes nothing', async () => {
  const toolkit = newToolkit();
  const users = [withPassword('ada'), account('bob', { phoneNumber: '+441234567890', providerUserInfo: [] })];
  for (let times = 0; times < 2; times++) {
    equal((await importAuthUsers(toolkit, users.map(asUser), options)).size, 0);
    const [ada, bob] = await all(toolkit);
    deepEqual(ada, users[0]);
    deepEqual({ ...bob, providerUserInfo: [] }, users[1]);
  }
});

test('importAuthUsers: 2,500 users take three requests, lookups of 100 each, and three deletions', async () => {
  const toolkit = newToolkit();
  const ids = Array.from({ length: 2_500 }, (_, n) => `u${String(n).padStart(5, '0')}`);
  firestore.faults.resetCalls();
  equal(
    (
      await importAuthUsers(
        toolkit,
        ids.map((id) => asUser(withPassword(id))),
        options,
      )
    ).size,
    0,
  );
  deepEqual([...(await lookUpAuthUsers(toolkit, [...ids, 'nobody'])).keys()], ids);
  equal((await removeAuthUsers(toolkit, ids)).size, 0);
  deepEqual(await all(toolkit), []);
  const { calls } = firestore.faults;
  deepEqual([calls['accounts:batchCreate'], calls['accounts:lookup'], calls['accounts:batchDelete']], [3, 26, 3]);
});

test('importAuthUsers: a rejected user fails alone, and its message does not contain the hash', async () => {
  const toolkit = newToolkit();
  const secret = 'not in base64!';
  const users = [
    ...Array.from({ length: 20 }, (_, n) => withPassword(`good-${n}`)),
    withPassword('bad-claims', { customAttributes: 'no json' }),
    withPassword('bad-hash', { passwordHash: secret }),
  ];
  const refused = await importAuthUsers(toolkit, users.map(asUser), options);
  deepEqual([...refused.keys()].sort(), ['bad-claims', 'bad-hash']);
  deepEqual(refused.get('bad-claims'), { code: 'INVALID_ARGUMENT', message: 'Invalid custom claims provided.' });
  ok(!JSON.stringify([...refused]).includes(secret));
  equal((await all(toolkit)).length, 20);
});

test('importAuthUsers: a user whose password hash is incomplete is not imported, others are', async () => {
  const toolkit = newToolkit();
  const users = [
    withPassword('shown'),
    withPassword('redacted', { passwordHash: 'UkVEQUNURUQ=', salt: undefined }),
    withPassword('imported', { version: 3 }),
    account('none'),
  ];
  const refused = await importAuthUsers(toolkit, users.map(asUser), { hash: undefined, overwrite: true });
  deepEqual([...refused.keys()].sort(), ['imported', 'redacted', 'shown']);
  match(refused.get('shown')!.message, /hash parameters of the backed-up project cannot be read/);
  match(refused.get('redacted')!.message, /does not contain the hash/);
  equal((await importAuthUsers(toolkit, users.map(asUser), options)).size, 2);
  deepEqual(
    (await all(toolkit)).map(({ localId }) => localId),
    ['none', 'shown'],
  );
});

test('importAuthUsers: a malformed record or one with another id is not sent', async () => {
  const toolkit = newToolkit();
  const broken = [
    { id: 'broken', json: Buffer.from('{"passwordHash":"c2VjcmV0"') },
    { id: 'empty', json: Buffer.from('null') },
    { id: 'other', json: asUser(account('victim')).json },
  ];
  const refused = await importAuthUsers(toolkit, [...broken, asUser(account('a'))], options);
  deepEqual([...refused.keys()], ['broken', 'empty', 'other']);
  ok(!JSON.stringify([...refused]).includes('c2VjcmV0'));
  deepEqual(
    (await all(toolkit)).map(({ localId }) => localId),
    ['a'],
  );
});

test('importAuthUsers: without overwrite, existing users are reported', async () => {
  const toolkit = newToolkit();
  await importAuthUsers(toolkit, [asUser(account('a', { displayName: 'theirs' }))], options);
  const refused = await importAuthUsers(toolkit, [asUser(account('a')), asUser(account('b'))], { hash, overwrite: false });
  deepEqual(
    [...refused].map(([id, { code }]) => [id, code]),
    [['a', 'exists']],
  );
  deepEqual(
    (await all(toolkit)).map(({ localId, displayName }) => [localId, displayName]),
    [
      ['a', 'theirs'],
      ['b', undefined],
    ],
  );
});

test('readHashConfig: the parameters are the project’s, and undefined without permission', async (t) => {
  const config = await readHashConfig(newToolkit());
  deepEqual([config?.algorithm, config?.rounds, config?.memoryCost], ['SCRYPT', 8, 14]);
  const hiding = createServer((_request, response) => response.end(JSON.stringify({ signIn: { email: { enabled: true } } })));
  await new Promise<void>((resolve) => hiding.listen(0, '127.0.0.1', resolve));
  t.onTestFinished(() => void hiding.close());
  equal(await readHashConfig(newToolkit(`http://127.0.0.1:${(hiding.address() as AddressInfo).port}`)), undefined);
});

test('callToolkit: a denied access fails each call without a retry', async () => {
  const toolkit = newToolkit();
  firestore.faults.revoke(toolkit.sourceProjectId);
  const calls = [
    () => importAuthUsers(toolkit, [asUser(account('a'))], options),
    () => lookUpAuthUsers(toolkit, ['a']),
    () => removeAuthUsers(toolkit, ['a']),
    () => readHashConfig(toolkit),
  ];
  for (const call of calls)
    await rejects(call(), (error) => error instanceof SourceError && error.code === 'SOURCE_AUTH_ERROR' && !error.isTransient);
});

test('importAuthUsers: a project without Firebase Authentication has no users and rejects every import', async (t) => {
  let asked = 0;
  const unused = createServer((_request, response) => {
    asked += 1;
    response.writeHead(400).end(JSON.stringify({ error: { code: 400, message: 'CONFIGURATION_NOT_FOUND' } }));
  });
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  t.onTestFinished(() => void unused.close());
  const toolkit = newToolkit(`http://127.0.0.1:${(unused.address() as AddressInfo).port}`);
  equal((await lookUpAuthUsers(toolkit, ['a'])).size, 0);
  equal(await readHashConfig(toolkit), undefined);
  asked = 0;
  const refused = await importAuthUsers(toolkit, [asUser(account('a')), asUser(account('b'))], options);
  deepEqual([refused.size, asked], [2, 1]);
  match(refused.get('b')!.message, /CONFIGURATION_NOT_FOUND/);
});

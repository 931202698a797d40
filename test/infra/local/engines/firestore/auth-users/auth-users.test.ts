import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';

type Json = Record<string, unknown> & { users?: Json[]; error?: unknown; nextPageToken?: string };

describe('the accounts of a project', () => {
  let dir: string;
  let server: Firestore;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'users-'));
    server = await startFirestore({ dir });
  });
  afterAll(async () => {
    await server.stop();
    await rm(dir, { recursive: true });
  });

  const call = async (path: string, body?: unknown): Promise<{ status: number; body: Json }> => {
    const post = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${server.url}${path}`, body === undefined ? {} : post);
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  const accounts = (project: string, verb = '') => `/identitytoolkit.googleapis.com/v1/projects/${project}/accounts${verb}`;
  const user = (localId: string, more: object = {}) => ({
    localId,
    email: `${localId}@example.com`,
    passwordHash: 'T8cY66FE7V0ejwZqdYH6OgQO8ZiMwqQ2XW-wgUUDf3LNfNPz1Uu6vlwak8GzSd295SmtuQV54qDdidSKYLx7Cg==',
    salt: 'nteWfb8brZ0NIA==',
    ...more,
  });
  const scrypt = { hashAlgorithm: 'SCRYPT', signerKey: 'c2lnbmVy', saltSeparator: 'Bw==', rounds: 8, memoryCost: 14 };

  it('returns what was imported: hash, salt, claims, providers and unknown fields', async () => {
    const one = user('ada', {
      emailVerified: true,
      customAttributes: '{"admin":true}',
      phoneNumber: '+441234567890',
      createdAt: '1500000000000',
      lastLoginAt: '1600000000000',
      mfaInfo: [{ mfaEnrollmentId: 'm1', phoneInfo: '+441234567891' }],
      providerUserInfo: [{ providerId: 'google.com', rawId: '42', email: 'ada@gmail.com' }],
      fieldOfTomorrow: { deep: [1, 2] },
    });
    assert.deepEqual((await call(accounts('one', ':batchCreate'), { ...scrypt, users: [one] })).body, {
      kind: 'identitytoolkit#UploadAccountResponse',
    });
    const { users } = (await call(accounts('one', ':batchGet'))).body;
    const { providerUserInfo, validSince, passwordUpdatedAt, disabled, ...rest } = users?.[0] ?? {};
    const { providerUserInfo: given, ...sent } = one as Json;
    assert.deepEqual(rest, sent);
    assert.equal(disabled, false);
    assert.ok(validSince && passwordUpdatedAt);
    assert.deepEqual(
      (providerUserInfo as Json[]).map(({ providerId }) => providerId),
      ['google.com', 'password', 'phone'],
    );
    assert.ok(given);
  });

  it('pages through 2,500 accounts, each once, sorted by id', async () => {
    for (let start = 0; start < 2500; start += 500) {
      const users = Array.from({ length: 500 }, (_, i) => user(`u${String(start + i).padStart(5, '0')}`));
      assert.equal((await call(accounts('many', ':batchCreate'), { ...scrypt, users })).status, 200);
    }
    const seen: unknown[] = [];
    let token: string | undefined = '';
    for (let pages = 0; token !== undefined; pages++) {
      const query = `?maxResults=1000${token === '' ? '' : `&nextPageToken=${token}`}`;
      const { body } = await call(`/v1/projects/many/accounts:batchGet${query}`);
      seen.push(...(body.users ?? []).map(({ localId }) => localId));
      token = body.nextPageToken;
      assert.ok(pages < 4);
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 2500 }, (_, i) => `u${String(i).padStart(5, '0')}`),
    );
    assert.equal((await call(accounts('many', ':batchGet'))).body.users?.length, 20);
  });

  it('reports failed accounts by index and imports the others', async () => {
    const users = [
      { email: 'no@id.com' },
      user('good'),
      user('bad-mail', { email: 'not#an$email' }),
      user('bad-phone', { phoneNumber: '12' }),
      user('bad-claims', { customAttributes: 'no json' }),
      user('reserved', { customAttributes: '{"sub":"1"}' }),
      user('large', { customAttributes: JSON.stringify({ a: 'x'.repeat(1000) }) }),
    ];
    const { status, body } = await call(accounts('errors', ':batchCreate'), { ...scrypt, users });
    assert.equal(status, 200);
    assert.deepEqual(body.error, [
      { index: 0, message: 'localId is missing' },
      { index: 2, message: 'email is invalid' },
      { index: 3, message: 'phone number format is invalid' },
      { index: 4, message: 'Invalid custom claims provided.' },
      { index: 5, message: 'Custom claims provided include a reserved claim.' },
      { index: 6, message: 'Custom claims provided are too large.' },
    ]);
    assert.deepEqual(
      (await call(accounts('errors', ':batchGet'))).body.users?.map(({ localId }) => localId),
      ['good'],
    );
  });

  it('rejects an import without users, with too many, without algorithm, or with a duplicate id', async () => {
    const refusal = async (body: object) => {
      const answer = await call(accounts('whole', ':batchCreate'), body);
      assert.equal(answer.status, 400);
      return (answer.body.error as Json).message;
    };
    assert.equal(await refusal({}), 'MISSING_USER_ACCOUNT');
    assert.equal(
      await refusal({ users: Array.from({ length: 1001 }, (_, i) => ({ localId: `${i}` })) }),
      'MAXIMUM_USER_COUNT_EXCEEDED',
    );
    assert.equal(await refusal({ users: [user('a')] }), 'MISSING_HASH_ALGORITHM');
    assert.equal(await refusal({ users: [user('a')], hashAlgorithm: 'ROT13' }), 'INVALID_HASH_ALGORITHM');
    assert.equal(await refusal({ users: [{ localId: 'a' }, { localId: 'a' }] }), 'DUPLICATE_LOCAL_ID : a');
    assert.equal((await call(`${accounts('whole', ':batchGet')}?maxResults=1001`)).status, 400);
  });

  it('accepts a password hash only with all its parameters, in base64 of either alphabet', async () => {
    const refusal = async (more: object, users: object[] = [user('a')]) => {
      const answer = await call(accounts('hashing', ':batchCreate'), { ...scrypt, users, ...more });
      assert.equal(answer.status, 400);
      return String((answer.body.error as Json).message);
    };
    assert.equal(await refusal({ signerKey: undefined }), 'INVALID_HASH_KEY');
    assert.equal(await refusal({ saltSeparator: undefined }), 'INVALID_HASH_SALT_SEPARATOR');
    assert.equal(await refusal({ rounds: 9 }), 'INVALID_HASH_ROUNDS');
    assert.equal(await refusal({ memoryCost: 0 }), 'INVALID_HASH_MEMORY_COST');
    assert.match(await refusal({}, [user('good'), user('a', { passwordHash: 'no base64!' })]), /Base64 decoding failed/);
    assert.equal((await call(accounts('hashing', ':batchGet'))).body.users, undefined);
    await call(accounts('hashing', ':batchCreate'), { ...scrypt, users: [user('a', { passwordHash: '+/+/', salt: '-_8=' })] });
    const { passwordHash, salt } = (await call(accounts('hashing', ':batchGet'))).body.users?.[0] ?? {};
    assert.deepEqual([passwordHash, salt], ['-_-_', '-_8=']);
  });

  it('looks up 100 accounts at once and shows that a password exists, but not its hash', async () => {
    await call(accounts('look', ':batchCreate'), { ...scrypt, users: [user('a'), { localId: 'b' }] });
    const found = (await call(accounts('look', ':lookup'), { localId: ['b', 'a', 'nobody'] })).body.users ?? [];
    assert.deepEqual(
      found.map(({ localId, passwordHash, salt }) => [localId, passwordHash, salt]),
      [
        ['b', undefined, undefined],
        ['a', 'UkVEQUNURUQ=', undefined],
      ],
    );
    const many = Array.from({ length: 101 }, (_, n) => `${n}`);
    assert.equal((await call(accounts('look', ':lookup'), { localId: many })).status, 400);
    assert.equal((await call(accounts('look', ':lookup'), { localId: many.slice(1) })).status, 200);
  });

  it('deletes accounts in batches; enabled ones only with force', async () => {
    const users = [{ localId: 'on' }, { localId: 'off', disabled: true }];
    await call(accounts('gone', ':batchCreate'), { users });
    const answer = await call(accounts('gone', ':batchDelete'), { localIds: ['on', 'off', 'nobody'] });
    assert.deepEqual(
      (answer.body.errors as Json[]).map(({ index, localId }) => [index, localId]),
      [[0, 'on']],
    );
    assert.deepEqual((await call(accounts('gone', ':batchDelete'), { localIds: ['on'], force: true })).body, {});
    assert.equal((await call(accounts('gone', ':batchGet'))).body.users, undefined);
    const many = Array.from({ length: 1001 }, (_, n) => `${n}`);
    assert.equal((await call(accounts('gone', ':batchDelete'), { localIds: many, force: true })).status, 400);
  });

  it('overwrites only if allowed', async () => {
    await call(accounts('over', ':batchCreate'), { users: [{ localId: 'x', displayName: 'old' }] });
    const again = { users: [{ localId: 'x', displayName: 'new' }] };
    const refused = await call(accounts('over', ':batchCreate'), again);
    assert.deepEqual(refused.body.error, [{ index: 0, message: 'localId belongs to an existing account - can not overwrite.' }]);
    await call(accounts('over', ':batchCreate'), { ...again, allowOverwrite: true });
    assert.equal((await call(accounts('over', ':lookup'), { localId: ['x'] })).body.users?.[0]?.displayName, 'new');
  });

  it('creates, looks up, changes and deletes accounts', async () => {
    const made = await call(accounts('crud'), { email: 'New@Example.com', password: 'secret1', displayName: 'N' });
    const { localId } = made.body;
    assert.ok(localId);
    assert.equal(((await call(accounts('crud'), { email: 'new@example.com' })).body.error as Json).message, 'EMAIL_EXISTS');
    await call(accounts('crud', ':update'), { localId, disableUser: true, deleteAttribute: ['DISPLAY_NAME'] });
    const found = (await call(accounts('crud', ':lookup'), { email: ['new@example.com'] })).body.users?.[0];
    assert.equal(found?.disabled, true);
    assert.equal(found?.displayName, undefined);
    assert.ok(found?.passwordHash);
    await call(accounts('crud', ':delete'), { localId });
    assert.equal((await call(accounts('crud', ':lookup'), { localId: [localId] })).body.users, undefined);
    assert.equal(((await call(accounts('crud', ':delete'), { localId })).body.error as Json).message, 'USER_NOT_FOUND');
  });

  it('keeps projects and tenants apart', async () => {
    await call('/v1/projects/apart/tenants/t1/accounts:batchCreate', { users: [{ localId: 'x' }] });
    assert.equal((await call('/v1/projects/apart/accounts:batchGet')).body.users, undefined);
    assert.equal((await call('/v1/projects/apart/tenants/t1/accounts:batchGet')).body.users?.length, 1);
  });

  it('returns the password hash parameters', async () => {
    const { body } = await call('/admin/v2/projects/one/config');
    assert.equal(((body.signIn as Json).hashConfig as Json).algorithm, 'SCRYPT');
  });

  it('rejects all calls while the credentials are revoked', async () => {
    server.faults.revoke('one', 'UNAUTHENTICATED');
    assert.equal((await call(accounts('one', ':batchGet'))).status, 401);
    server.faults.revoke('one');
    assert.equal((await call(accounts('one', ':batchGet'))).status, 403);
    server.faults.restore('one');
    assert.equal((await call(accounts('one', ':batchGet'))).status, 200);
  });

  it('survives a restart, without the incomplete line of a crashed process', async () => {
    await server.stop();
    await appendFile(join(dir, 'auth-users', 'users.jsonl'), '{"pool":"one","put":{"localId":"ha');
    server = await startFirestore({ dir });
    assert.equal((await call(accounts('one', ':batchGet'))).body.users?.length, 1);
    await call(accounts('one', ':batchCreate'), { users: [{ localId: 'later' }] });
    await server.stop();
    server = await startFirestore({ dir });
    assert.equal((await call(accounts('one', ':batchGet'))).body.users?.length, 2);
  });
});

/** Indexes, fields, database settings and rules, called as `gcloud firestore` and `firebase deploy` call them. */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Firestore as Client } from '@google-cloud/firestore';
import { expect, onTestFinished, test } from 'vitest';
import { type FirestoreOptions, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & {
    readonly name: string;
    readonly error?: { readonly status: string; readonly message: string };
    readonly metadata: Record<string, unknown>;
  };
}

const start = async (options: FirestoreOptions = {}) => {
  let micros = Date.UTC(2026, 0, 1) * 1_000;
  const server = await startFirestore({ clock: () => micros, ...options });
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${server.url}/v1/projects/shop${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  const pass = (ms: number): void => {
    micros += ms * 1_000;
  };
  return { server, send, pass };
};

const database = '/databases/(default)';
const group = `${database}/collectionGroups/users`;
const byAgeAndName = {
  queryScope: 'COLLECTION',
  fields: [
    { fieldPath: 'age', order: 'ASCENDING' },
    { fieldPath: 'name', order: 'DESCENDING' },
  ],
};

test('an index is created in an operation with progress, found again after a restart, and deleted', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'firestore-'));
  const first = await start({ dir, indexBuildMs: 1_000 });
  const created = await first.send('POST', `${group}/indexes`, byAgeAndName);
  assert.equal(created.status, 200);
  expect(created.body.metadata).toMatchObject({ state: 'PROCESSING' });
  const name = String(created.body.metadata.index).slice('projects/shop'.length);
  expect((await first.send('GET', name)).body).toMatchObject({
    queryScope: 'COLLECTION',
    state: 'CREATING',
    fields: [...byAgeAndName.fields, { fieldPath: '__name__', order: 'DESCENDING' }],
  });
  assert.deepEqual((await first.send('POST', `${group}/indexes`, byAgeAndName)).body.error?.status, 'ALREADY_EXISTS');
  first.pass(1_000);
  const operation = created.body.name.slice('projects/shop'.length);
  expect((await first.send('GET', operation)).body).toMatchObject({ done: true, response: { state: 'READY' } });
  await first.server.stop();

  const { server, send } = await start({ dir });
  onTestFinished(() => server.stop());
  const listed = await send('GET', `${database}/collectionGroups/-/indexes`);
  expect(listed.body).toMatchObject({ indexes: [{ name: `projects/shop${name}`, apiScope: 'ANY_API', density: 'SPARSE_ALL' }] });
  assert.equal((await send('DELETE', name)).status, 200);
  assert.deepEqual((await send('GET', `${database}/collectionGroups/-/indexes`)).body, {});
  assert.equal((await send('DELETE', name)).status, 404);
});

test('what is no index is refused, and changes nothing', async () => {
  const { server, send } = await start();
  onTestFinished(() => server.stop());
  const wrong = [
    { fields: [] },
    { fields: [{ fieldPath: 'age', order: 'ASCENDING' }] },
    { fields: [{ fieldPath: 'age' }, { fieldPath: 'name', order: 'ASCENDING' }] },
    { fields: [{ fieldPath: 'age', order: 'UP' }] },
    { ...byAgeAndName, queryScope: 'EVERYWHERE' },
    {
      fields: [
        { fieldPath: 'age', order: 'ASCENDING' },
        { fieldPath: 'age', order: 'DESCENDING' },
      ],
    },
  ];
  for (const body of wrong) assert.equal((await send('POST', `${group}/indexes`, body)).body.error?.status, 'INVALID_ARGUMENT');
  assert.deepEqual((await send('GET', `${group}/indexes`)).body, {});
});

test('a long list has pages', async () => {
  const { server, send } = await start();
  onTestFinished(() => server.stop());
  for (const fieldPath of ['a', 'b', 'c'])
    await send('POST', `${group}/indexes`, {
      fields: [
        { fieldPath, order: 'ASCENDING' },
        { fieldPath: 'z', order: 'ASCENDING' },
      ],
    });
  const one = await send('GET', `${group}/indexes?pageSize=2`);
  const two = await send('GET', `${group}/indexes?pageSize=2&pageToken=${String(one.body.nextPageToken)}`);
  assert.deepEqual(
    [one, two].map(({ body }) => (body.indexes as readonly unknown[]).length),
    [2, 1],
  );
  assert.equal(two.body.nextPageToken, undefined);
});

test('a created index serves queries once it is ready, where queries are checked', async () => {
  const { server, send, pass } = await start({ indexes: '{}', indexBuildMs: 1_000 });
  onTestFinished(() => server.stop());
  const client = new Client({ projectId: 'shop', host: server.address, ssl: false, preferRest: false, customHeaders: {} });
  onTestFinished(() => client.terminate());
  const query = () => client.collection('users').orderBy('age').orderBy('name', 'desc').get();
  await assert.rejects(query, /requires an index/);
  await send('POST', `${group}/indexes`, byAgeAndName);
  await assert.rejects(query, /requires an index/);
  pass(1_000);
  assert.equal((await query()).size, 0);
});

test('the indexes of a file are listed like those that were created', async () => {
  const indexes = JSON.stringify({
    indexes: [{ collectionGroup: 'users', ...byAgeAndName }],
    fieldOverrides: [{ collectionGroup: 'users', fieldPath: 'note', indexes: [] }],
  });
  const { server, send } = await start({ indexes });
  onTestFinished(() => server.stop());
  expect((await send('GET', `${database}/collectionGroups/-/indexes`)).body.indexes).toMatchObject([{ state: 'READY' }]);
  const filter = encodeURIComponent('indexConfig.usesAncestorConfig:false OR ttlConfig:*');
  const { body } = await send('GET', `${database}/collectionGroups/-/fields?filter=${filter}`);
  expect(body.fields).toMatchObject([
    { name: 'projects/shop/databases/(default)/collectionGroups/__default__/fields/*' },
    { name: 'projects/shop/databases/(default)/collectionGroups/users/fields/note' },
  ]);
});

test('a field gets an exemption and a TTL policy, and reverts to what it inherits', async () => {
  const { server, send, pass } = await start({ indexBuildMs: 1_000 });
  onTestFinished(() => server.stop());
  const field = `${group}/fields/expiresAt`;
  expect((await send('GET', field)).body).toMatchObject({ indexConfig: { usesAncestorConfig: true } });
  const ttl = await send('PATCH', `${field}?updateMask=ttlConfig`, { ttlConfig: {} });
  expect(ttl.body.metadata).toMatchObject({ state: 'PROCESSING', field: `projects/shop${field}` });
  expect((await send('GET', field)).body).toMatchObject({ ttlConfig: { state: 'CREATING' } });
  pass(1_000);
  await send('PATCH', `${field}?updateMask=indexConfig`, { indexConfig: { indexes: [] } });
  const exempt = await send('GET', field);
  expect(exempt.body).toMatchObject({ indexConfig: {}, ttlConfig: { state: 'ACTIVE' } });
  assert.deepEqual(exempt.body.indexConfig, {});
  const second = await send('PATCH', `${group}/fields/other?updateMask=ttlConfig`, { ttlConfig: {} });
  assert.equal(second.body.error?.status, 'FAILED_PRECONDITION');
  await send('PATCH', field, {});
  const reverted = await send('GET', field);
  expect(reverted.body).toMatchObject({ indexConfig: { usesAncestorConfig: true } });
  assert.equal(reverted.body.ttlConfig, undefined);
  assert.equal((await send('GET', `${database}/collectionGroups/-/fields`)).status, 400);
});

test('databases.patch changes protection and recovery, and nothing else', async () => {
  const { server, send } = await start();
  onTestFinished(() => server.stop());
  const settings = {
    deleteProtectionState: 'DELETE_PROTECTION_ENABLED',
    pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED',
  };
  const masked = await send('PATCH', `${database}?updateMask=deleteProtectionState`, settings);
  expect(masked.body).toMatchObject({ done: true, response: { deleteProtectionState: 'DELETE_PROTECTION_ENABLED' } });
  expect((await send('GET', database)).body).toMatchObject({ pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_DISABLED' });
  await send('PATCH', database, settings);
  expect((await send('GET', database)).body).toMatchObject(settings);
  assert.equal((await send('PATCH', `${database}?updateMask=locationId`, { locationId: 'eur3' })).status, 400);
  expect((await send('GET', '/databases')).body.databases).toMatchObject([{ locationId: 'nam5', ...settings }]);
});

test('rules are released, replaced, and kept over a restart', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'firestore-'));
  const first = await start({ dir });
  const source = (content: string) => ({ source: { files: [{ name: 'firestore.rules', content }] } });
  assert.equal((await first.send('POST', ':test', source('service cloud.firestore {}'))).status, 200);
  const ruleset = await first.send('POST', '/rulesets', source('service cloud.firestore {}'));
  assert.match(ruleset.body.name, /^projects\/shop\/rulesets\/[\w-]{36}$/);
  assert.equal((await first.send('POST', '/rulesets', source(' '))).status, 400);
  const release = { name: 'projects/shop/releases/cloud.firestore', rulesetName: ruleset.body.name };
  assert.equal((await first.send('PATCH', '/releases/cloud.firestore', { release })).status, 404);
  assert.equal((await first.send('POST', '/releases', release)).status, 200);
  assert.equal((await first.send('POST', '/releases', release)).status, 409);
  await first.server.stop();

  const { server, send } = await start({ dir });
  onTestFinished(() => server.stop());
  const second = await send('POST', '/rulesets', source('service cloud.firestore { /* 2 */ }'));
  const changed = await send('PATCH', '/releases/cloud.firestore', { release: { ...release, rulesetName: second.body.name } });
  assert.equal(changed.body.rulesetName, second.body.name);
  const own = ruleset.body.name.slice('projects/shop'.length);
  expect((await send('GET', own)).body).toMatchObject(source('service cloud.firestore {}'));
  assert.equal((await send('DELETE', own)).status, 200);
  const used = second.body.name.slice('projects/shop'.length);
  assert.equal((await send('DELETE', used)).body.error?.status, 'FAILED_PRECONDITION');
  expect((await send('GET', '/releases')).body).toMatchObject({ releases: [{ rulesetName: second.body.name }] });
  assert.equal((await send('DELETE', '/releases/cloud.firestore')).status, 200);
  assert.deepEqual((await send('GET', '/releases')).body, {});
});

test('faults can name the methods of these APIs, by project', async () => {
  const { server, send } = await start();
  onTestFinished(() => server.stop());
  server.faults.add({ method: 'ListIndexes', project: 'shop', status: 'PERMISSION_DENIED' });
  server.faults.add({ method: 'ListReleases', project: 'shop', status: 'PERMISSION_DENIED' });
  assert.equal((await send('GET', `${group}/indexes`)).status, 403);
  assert.equal((await send('GET', '/releases')).status, 403);
  assert.equal((await send('GET', `${group}/indexes`)).status, 200);
});

import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FirestoreOptions, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';

const start = async (options: FirestoreOptions = {}) => {
  const server = await startFirestore(options);
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> & { error?: { status: string } } };
  };
  return { server, send };
};

const resource = '/v1/projects/shop/databases/(default)';

test('databases.get tells edition, location and type of a database, in the words of the Admin API', async () => {
  const { server, send } = await start();
  onTestFinished(() => server.stop());
  expect((await send('GET', resource)).body).toMatchObject({
    name: 'projects/shop/databases/(default)',
    type: 'FIRESTORE_NATIVE',
    databaseEdition: 'STANDARD',
    locationId: 'nam5',
    firestoreDataAccessMode: 'DATA_ACCESS_MODE_ENABLED',
    mongodbCompatibleDataAccessMode: 'DATA_ACCESS_MODE_DISABLED',
    pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_DISABLED',
    versionRetentionPeriod: '3600s',
  });
  server.databases.setPointInTimeRecovery({ projectId: 'shop', databaseId: '(default)' }, true);
  expect((await send('GET', resource)).body).toMatchObject({
    pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED',
    versionRetentionPeriod: '604800s',
  });
});

test('PATCH /admin/databases changes only what it names, and the change outlives a restart', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'firestore-'));
  const first = await start({ dir });
  const changed = { project: 'shop', info: { databaseEdition: 'ENTERPRISE', locationId: 'us-central1' } };
  assert.equal((await first.send('PATCH', '/admin/databases', changed)).status, 200);
  assert.equal((await first.send('PATCH', '/admin/databases', { project: 'shop', info: { type: 'DOCUMENTS' } })).status, 400);
  await first.server.stop();
  const { server, send } = await start({ dir });
  onTestFinished(() => server.stop());
  expect((await send('GET', resource)).body).toMatchObject({
    databaseEdition: 'ENTERPRISE',
    locationId: 'us-central1',
    type: 'FIRESTORE_NATIVE',
    concurrencyMode: 'OPTIMISTIC',
  });
});

test('databases.get of a database that does not exist is 404, and without permission 403', async () => {
  const { server, send } = await start({ createOnUse: false });
  onTestFinished(() => server.stop());
  assert.equal((await send('GET', resource)).status, 404);
  server.databases.create({ projectId: 'shop', databaseId: '(default)' });
  server.faults.add({ method: 'GetDatabase', project: 'shop', status: 'PERMISSION_DENIED', message: 'Missing permission.' });
  const denied = await send('GET', resource);
  assert.deepEqual([denied.status, denied.body.error?.status], [403, 'PERMISSION_DENIED']);
  assert.equal((await send('GET', resource)).status, 200);
  assert.equal(server.faults.calls.GetDatabase, 3);
});

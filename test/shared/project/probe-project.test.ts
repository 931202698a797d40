import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../infra/local/engines/firestore/index.ts';
import { type DatabaseInfo, defaultInfo } from '../../../infra/local/engines/firestore/storage/database-info.ts';
import type { ApiError } from '../../../shared/contract/errors.ts';
import { probeSource } from '../../../shared/firestore/index.ts';
import { unsafeTenant } from '../../../shared/platform/index.ts';
import type { ProjectRecord } from '../../../shared/project/index.ts';
import { askSource, probeProject } from '../../../shared/project/probe-project.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';

const tenant = unsafeTenant('org_01JWNVAV000000000000000000', 'record');
const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const project = {
  ...{ id: 'prj_01JWNVAV000000000000000000', sourceProjectId: 'shop', databaseId: '(default)' },
  connection: { type: 'service_account', email: 'a@b.c', sealed: new Uint8Array([1]) },
} as const satisfies Partial<ProjectRecord>;

const tokens = (response: ServerResponse) => void response.end(JSON.stringify({ access_token: 'canary-token', expires_in: 60 }));
let google = tokens;
const server = createServer((_request, response) => google(response));
const silent = createTcp(() => {});
const aws = await scriptAws({ Decrypt: () => ({ Plaintext: Buffer.from(key).toString('base64') }) });
let firestore: Firestore;
const portOf = (listening: { address(): unknown }) => (listening.address() as AddressInfo).port;
beforeAll(async () => {
  for (const each of [server, silent]) await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', () => resolve()));
  firestore = await startFirestore();
  Object.assign(process.env, {
    ...{ SECRETS_KEY_ID: 'key', PUBLIC_URL: 'https://api.example.com' },
    GOOGLE_TOKEN_URL: `http://127.0.0.1:${portOf(server)}/token`,
  });
});
afterAll(async () => {
  aws.stop();
  for (const each of [server, silent]) each.close();
  server.closeAllConnections();
  await firestore.stop();
});
beforeEach(() => {
  google = tokens;
  firestore.faults.clear();
  process.env.FIRESTORE_URL = firestore.url;
});
const refused = (code: string, words: RegExp) => (error: unknown) => {
  const { code: found, message, details } = error as ApiError;
  equal(found, code, message);
  match(message, words);
  ok(!JSON.stringify({ message, details }).includes('canary'));
  return true;
};

test('probeProject: a successful probe costs one read', async () => {
  firestore.faults.resetCalls();
  const { meter } = firestore.databases.open({ projectId: 'shop', databaseId: '(default)' });
  meter.reset();
  await probeProject(tenant, project);
  deepEqual(firestore.faults.calls, { BatchGetDocuments: 1, GetDatabase: 1 });
  equal(meter.reads.total, 1);
});

for (const fault of [
  { status: 'NOT_FOUND', message: 'The database (default) does not exist for project shop' },
  { status: 'PERMISSION_DENIED', message: 'Permission denied on resource project shpo.' },
] as const)
  test(`probeProject: "${fault.message}" is SOURCE_NOT_FOUND`, async () => {
    firestore.faults.add({ method: 'BatchGetDocuments', ...fault });
    await rejects(probeProject(tenant, project), (error) => {
      refused('SOURCE_NOT_FOUND', /^There is no project or database of this id: /)(error);
      const { field, sourceProjectId, databaseId } = (error as ApiError).details as Record<string, string>;
      deepEqual([field, sourceProjectId, databaseId], ['sourceProjectId', project.sourceProjectId, project.databaseId]);
      equal((error as ApiError).status, 422);
      return true;
    });
  });

test('probeProject: a read that is refused names the role to grant and the account', async () => {
  firestore.faults.add({
    method: 'BatchGetDocuments',
    status: 'PERMISSION_DENIED',
    message: 'Missing or insufficient permissions.',
  });
  await rejects(probeProject(tenant, project), (error) => {
    refused('SOURCE_AUTH_ERROR', /Grant the connected account the role roles\/datastore\.viewer/)(error);
    const { role, account } = (error as ApiError).details as Record<string, string>;
    deepEqual([role, account], ['roles/datastore.viewer', project.connection.email]);
    return true;
  });
});

for (const status of ['PERMISSION_DENIED', 'FAILED_PRECONDITION', 'INVALID_ARGUMENT'] as const)
  test(`probeProject: ${status} is SOURCE_AUTH_ERROR with the authorization URL`, async () => {
    firestore.faults.add({ method: 'BatchGetDocuments', status });
    await rejects(probeProject(tenant, project), (error) => {
      refused('SOURCE_AUTH_ERROR', new RegExp(status))(error);
      const { reason, authorizationUrl } = (error as ApiError).details as Record<string, string>;
      match(reason!, new RegExp(status));
      equal(authorizationUrl, 'https://api.example.com/api/v1/auth/google');
      return true;
    });
  });

test('probeProject: a rejected service account is SOURCE_AUTH_ERROR, an unavailable token service is not', async () => {
  google = (response) => void response.writeHead(400).end('{"error":"invalid_grant","error_description":"canary"}');
  await rejects(probeProject(tenant, project), refused('SOURCE_AUTH_ERROR', /invalid_grant/));
  google = (response) => void response.writeHead(503).end('canary');
  await rejects(probeProject(tenant, project), refused('SERVICE_UNAVAILABLE', /did not respond/));
});

test('probeProject: two transient errors are retried', async () => {
  firestore.faults.add({ method: 'BatchGetDocuments', status: 'UNAVAILABLE', times: 2 });
  await probeProject(tenant, project);
});

test('probeProject: an unreachable or silent source is SERVICE_UNAVAILABLE', async () => {
  const closed = createTcp();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const port = portOf(closed);
  await new Promise<void>((resolve) => closed.close(() => resolve()));
  process.env.FIRESTORE_URL = `http://127.0.0.1:${port}`;
  await rejects(probeProject(tenant, project), refused('SERVICE_UNAVAILABLE', /did not respond/));
  process.env.FIRESTORE_URL = `http://127.0.0.1:${portOf(silent)}`;
  await rejects(
    askSource(tenant, { project, work: probeSource, withinMs: 200 }),
    refused('SERVICE_UNAVAILABLE', /did not respond/),
  );
});

const describe = (info: Partial<DatabaseInfo>) =>
  firestore.databases.describe({ projectId: 'shop', databaseId: '(default)' }, { ...defaultInfo, ...info });

test('probeProject: tells edition, location and what the database can do', async () => {
  describe({ databaseEdition: 'ENTERPRISE', locationId: 'us-central1', realtimeUpdatesMode: 'REALTIME_UPDATES_MODE_DISABLED' });
  const { checkedAt, ...info } = await probeProject(tenant, project);
  ok(Date.parse(checkedAt) > 0);
  deepEqual(info, {
    ...{ state: 'known', edition: 'enterprise', locationId: 'us-central1' },
    ...{ pointInTimeRecovery: false, realtimeUpdates: false },
  });
  describe({});
});

for (const [info, words] of [
  [{ type: 'DATASTORE_MODE' }, /^The database is in Datastore mode: /],
  [
    { firestoreDataAccessMode: 'DATA_ACCESS_MODE_DISABLED', mongodbCompatibleDataAccessMode: 'DATA_ACCESS_MODE_ENABLED' },
    /^The database is used with MongoDB compatibility: /,
  ],
  [{ firestoreDataAccessMode: 'DATA_ACCESS_MODE_DISABLED' }, /^The database refuses the Firestore API /],
] as const)
  test(`probeProject: ${Object.keys(info).join(' and ')} is refused with a sentence, whatever may be read`, async () => {
    describe(info);
    await rejects(probeProject(tenant, project), refused('SOURCE_NOT_SUPPORTED', words));
    firestore.faults.add({ method: 'BatchGetDocuments', status: 'FAILED_PRECONDITION' });
    await rejects(probeProject(tenant, project), refused('SOURCE_NOT_SUPPORTED', words));
    describe({});
  });

test('probeProject: a database that serves MongoDB and the Firestore API is accepted', async () => {
  describe({ databaseEdition: 'ENTERPRISE', mongodbCompatibleDataAccessMode: 'DATA_ACCESS_MODE_ENABLED' });
  equal((await probeProject(tenant, project)).state, 'known');
  describe({});
});

test('probeProject: without the permission the state says so, and an Admin API that fails is unknown', async () => {
  firestore.faults.add({ method: 'GetDatabase', status: 'PERMISSION_DENIED' });
  equal((await probeProject(tenant, project)).state, 'permission_missing');
  firestore.faults.clear();
  firestore.faults.add({ method: 'GetDatabase', status: 'UNAVAILABLE' });
  equal((await probeProject(tenant, project)).state, 'unknown');
});

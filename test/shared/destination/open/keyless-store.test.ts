/** A bucket of Google without a key, against the stage's token service and Cloud Storage. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { authorizeFederatedStorage } from '../../../../infra/local/boot/authorize-federated.ts';
import { startGcs } from '../../../../infra/local/engines/gcs/index.ts';
import { projectNumberOf } from '../../../../infra/local/engines/identity/federation/google-iam.ts';
import { tokenKind } from '../../../../infra/local/engines/identity/federation/token-exchange.ts';
import { assertDestinationWorks, moveCredentials, openCredentials, openStore } from '../../../../shared/destination/index.ts';
import { openConfiguredStore } from '../../../../shared/destination/open/open-store.ts';
import { probeStore } from '../../../../shared/destination/probe/probe-store.ts';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import { workloadIdentitySetup } from '../../../../shared/project/index.ts';
import { runGcloudShell } from '../../../harness/google/run-gcloud-shell.ts';
import { type Federation, startFederation } from '../../../harness/google/start-federation.ts';
import { bucket, quick, type Stops, serve, stopAll, tempDir } from '../../../harness/store/store-stands.ts';

const tenant = unsafeTenant('org_01JWNVAV000000000000000000', 'record');
const other = unsafeTenant('org_01JWNVAV000000000000000001', 'record');
const target = { type: 'gcs', bucket, region: null, endpoint: null, objectLock: null, prefix: '', immutable: false } as const;
const stops: Stops = [];
let google: Federation;

const setupOf = (sourceProjectId: string, more: object = {}) =>
  workloadIdentitySetup(tenant, { sourceProjectId, bucket, projectNumber: projectNumberOf(sourceProjectId), ...more });
const identityOf = (sourceProjectId: string) => ({ audience: setupOf(sourceProjectId).audience ?? '' });
const paste = async (...commands: readonly string[]): Promise<void> => {
  for (const command of commands) await runGcloudShell(command, String(google.port));
};
const tokens = () => google.state.all(tokenKind).length;

beforeAll(async () => {
  google = await startFederation();
  const gcs = startGcs({ dir: tempDir(stops), authorize: authorizeFederatedStorage(google.state) });
  gcs.createBucket(bucket);
  process.env.GCS_URL = await serve(stops, gcs.listener);
  await paste(...setupOf('shop').commands.map(({ command }) => command));
});
afterAll(async () => {
  await stopAll(stops);
  await google.stop();
});
beforeEach(() => {
  google.fail = undefined;
});

test('keyless store: one token is requested for many calls, as the organization', async () => {
  const store = await openConfiguredStore(tenant, {
    config: target,
    credentials: identityOf('shop'),
    folder: 'folder',
    retryPolicy: quick,
  });
  const before = tokens();
  await store.put('object', Buffer.from('bytes'));
  equal(Buffer.from(await store.get('object')).toString(), 'bytes');
  await store.remove(['object']);
  equal(tokens(), before + 1);
  store.close();
});

test('keyless store: another organization is denied, and an unavailable token service may be tried again', async () => {
  const theirs = await openConfiguredStore(other, {
    config: target,
    credentials: identityOf('shop'),
    folder: 'folder',
    retryPolicy: quick,
  });
  await rejects(theirs.put('object', Buffer.from('x')), { code: 'denied', message: /attribute condition.*000001'/ });
  theirs.close();
  google.fail = 503;
  const store = await openConfiguredStore(tenant, {
    config: target,
    credentials: identityOf('shop'),
    folder: 'folder',
    retryPolicy: quick,
  });
  await rejects(store.put('object', Buffer.from('x')), { code: 'unavailable', message: /status 503/ });
  store.close();
});

test('keyless store: the probe names the provider, a foreign organization, and who lacks the role', async () => {
  const failureOf = async (project: string) => (await probeStore(tenant, target, { credentials: identityOf(project) })).failure;
  deepEqual(await failureOf('shop'), undefined);
  const missing = await failureOf('nowhere');
  deepEqual([missing?.step, missing?.kind], ['workloadIdentity', 'denied']);
  match(missing?.reason ?? '', /knows no enabled workload identity pool provider/);
  google.fail = 503;
  deepEqual((await failureOf('shop'))?.kind, 'unavailable');
  google.fail = undefined;

  const [pool = '', provider = '', grant = ''] = setupOf('open').commands.map(({ command }) => command);
  await paste(pool, provider.replace(/ --attribute-condition=.*$/, ''), grant);
  const open = await failureOf('open');
  deepEqual([open?.step, open?.kind], ['workloadIdentity', 'denied']);
  match(open?.reason ?? '', /accepts other organizations.*org_01JWNVAV000000000000000000'\.$/);

  await paste(provider.replace('create-aws', 'update-aws'), grant.replace('add-', 'remove-'));
  const refusal = await assertDestinationWorks(tenant, target, identityOf('open')).catch((error: unknown) => error);
  const { code, details } = refusal as { code: string; details: Record<string, unknown> };
  deepEqual([code, details.step, details.account], ['STORAGE_ERROR', 'write', setupOf('open').principal]);
});

test('keyless store: locks need roles/storage.objectAdmin', async () => {
  const locked = { ...target, objectLock: { mode: 'governance', days: 1 } } as const;
  equal((await probeStore(tenant, locked, { credentials: identityOf('shop') })).failure?.step, 'lock');
  await paste(setupOf('shop', { role: 'roles/storage.objectAdmin' }).commands[2]?.command ?? '');
  const { failure, warnings } = await probeStore(tenant, locked, { credentials: identityOf('shop') });
  deepEqual([failure, warnings], [undefined, []]);
});

test('keyless store: a stored identity needs no decryption, and does not move to another organization', async () => {
  const record = { ...target, id: 'dst_1', workloadIdentity: identityOf('shop') };
  deepEqual(await openCredentials(tenant, record), record.workloadIdentity);
  equal(await moveCredentials(tenant, other, record), undefined);
  const store = await openStore(tenant, { ...record, pk: '', sk: '' } as unknown as Parameters<typeof openStore>[1], 'folder');
  await store.put('object', Buffer.from('x'));
  ok(await store.head('object'));
  store.close();
});

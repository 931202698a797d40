/**
 * A bucket of Google that trusts the service by workload identity federation: no key exists. Every function that opens a bucket must
 * support it: the stage denies calls that the template does not grant, and Cloud Storage denies roles not granted.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeAll, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { storageDestinations as rows } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { openBms } from '../../harness/env/run-bms.ts';
import { runGcloudShell as shell } from '../../harness/google/run-gcloud-shell.ts';
import { endOf, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call, type Result, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, erase, restore, undo } from '../../harness/stage/restore.ts';
import { allItems } from '../../harness/stage/table.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

const name = randomUUID().slice(0, 8);
const [sourceProjectId, bucket] = [`pool-${name}`, `keyless-${name}`];
let [ours, theirs]: TestOrganization[] = [];
let number = '';
let storageId = '';
let project: Awaited<ReturnType<typeof newProject>>;

const by = ({ id, owner }: TestOrganization = ours!) => ({ token: owner.accessToken, org: id });
const create = (more: object = {}, as = by()) => {
  const body = { name: 'Keyless', type: 'gcs', bucket, workloadIdentity: { projectNumber: number }, ...more };
  return call(rows.create, { ...as, body });
};
const update = (body: object) => call(rows.update, { ...by(), params: { storageId }, body });
const setUp = async (query: Record<string, string> = {}) =>
  (await call(projects.workloadIdentity, { ...by(), query: { sourceProjectId, bucket, ...query } })).body.data;
const storedDestination = async () => (await allItems()).find(({ pk, id }) => pk === `ORG#${ours!.id}` && id === storageId);
const refused = (result: Result<unknown>, step: string, reason: RegExp) => {
  deepEqual([result.status, result.body.error?.code], [422, 'STORAGE_ERROR'], result.text);
  equal(result.body.error.details.step, step, result.text);
  match(result.body.error.message, reason);
};
const gcs = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const answer = await fetch(`${stageVariable('STAGE_GCS_URL')}${path}`, init);
  ok(answer.ok, `${answer.status} ${path}`);
  return answer;
};
const objectsBelow = async (prefix: string): Promise<readonly string[]> => {
  const answer = await gcs(`/storage/v1/b/${bucket}/o?prefix=${encodeURIComponent(prefix)}`);
  const { items = [] } = (await answer.json()) as { items?: { name: string }[] };
  return items.map((each) => each.name);
};
const backUp = async () => {
  const { id } = await startBackup(ours!, { projectId: project.id, storageDestinationId: storageId });
  return endOf(ours!, id);
};

beforeAll(async () => {
  [ours, theirs] = await Promise.all([newOrganization(), newOrganization()]);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await gcs('/storage/v1/b?enableObjectRetention=true', { ...json, body: JSON.stringify({ name: bucket }) });
  project = await newProject(ours);
  const users = ['ada', 'grace', 'edsger'].map((id) => [`users/${id}`, { name: { stringValue: id } }]);
  await seed(project.sourceProjectId, Object.fromEntries(users));
  number = await shell(`gcloud projects describe ${sourceProjectId} --format='value(projectNumber)'`);
});

test('keyless bucket: each missing step of the setup is named, and nothing is saved before the last one', async () => {
  const { commands, audience, principal, attributeCondition } = await setUp({ projectNumber: number });
  const [pool = '', provider = '', grant = ''] = commands.map(({ command }) => command);
  match(grant, new RegExp(`^gcloud storage buckets add-iam-policy-binding gs://${bucket} --role=roles/storage.objectUser `));
  refused(await create(), 'workloadIdentity', /knows no enabled workload identity pool provider/);

  await shell(`${pool}; ${provider.replace(/ --attribute-condition=.*/, '')}`);
  const open = await create();
  refused(open, 'workloadIdentity', /accepts other organizations of this service/);
  equal(open.body.error.details.attributeCondition, attributeCondition);

  await shell(provider.replace('create-aws', 'update-aws'));
  const ungranted = await create();
  refused(ungranted, 'write', /refused to .*\(403\)/);
  deepEqual([ungranted.body.error.details.kind, ungranted.body.error.details.account], ['denied', principal]);
  deepEqual((await call(rows.list, by())).body.data, []);

  await shell(grant);
  const created = await create();
  equal(created.status, 201, created.text);
  const { id, credentials, workloadIdentity, status } = created.body.data;
  deepEqual({ credentials, workloadIdentity, status }, { credentials: {}, workloadIdentity: { audience }, status: 'connected' });
  storageId = id;
  const tested = await call(rows.test, { ...by(), params: { storageId } });
  deepEqual(
    tested.body.data.checks.map((check) => check.name),
    ['workloadIdentity', 'write', 'read', 'readPart', 'list', 'delete'],
  );

  // Locks need the larger role.
  const locked = { prefix: 'locked', objectLock: { mode: 'governance', days: 1 } };
  refused(await create(locked), 'lock', /\(403\)/);
  await shell((await setUp({ role: 'roles/storage.objectAdmin' })).commands[2]?.command ?? '');
  equal((await create(locked)).status, 201);
});

test('keyless bucket: bad input changes nothing', async () => {
  const key = { clientEmail: 'a@b.iam.gserviceaccount.com', privateKey: 'x' };
  const keys = { accessKeyId: 'AKIATEST', secretAccessKey: 'x' };
  const identity = { projectNumber: number };
  for (const [field, message, result] of [
    ['credentials', /or workloadIdentity with type gcs/, await create({ workloadIdentity: undefined })],
    ['workloadIdentity', /cannot be combined/, await create({ type: 's3', credentials: keys })],
    ['workloadIdentity', /only supported for type gcs/, await create({ type: 's3' })],
    ['workloadIdentity', /either audience or projectNumber/, await create({ workloadIdentity: {} })],
    ['workloadIdentity.projectNumber', /number/, await create({ workloadIdentity: { projectNumber: 'shop' } })],
    ['credentials.privateKey', /PEM/, await update({ credentials: key, workloadIdentity: identity })],
    ['workloadIdentity', /cannot be combined/, await update({ credentials: keys, workloadIdentity: identity })],
    ['role', /for a bucket/, await call(projects.workloadIdentity, roleQuery('roles/datastore.user', { bucket }))],
    ['role', /for a database/, await call(projects.workloadIdentity, roleQuery('roles/storage.objectUser'))],
  ] as const) {
    deepEqual([result.status, result.body.error?.details.field], [400, field], result.text);
    match(JSON.stringify(result.body.error), message);
  }
  equal((await call(rows.list, by())).body.data.length, 2);
});
const roleQuery = (role: string, more: object = {}) => ({ ...by(), query: { sourceProjectId, role, ...more } });

test('keyless bucket: another organization cannot use the pool', async () => {
  const result = await create({}, by(theirs));
  refused(result, 'workloadIdentity', new RegExp(`attribute condition.*${theirs!.id}`));
  ok(!result.text.includes(ours!.id));
});

test('keyless bucket: a key replaces the identity, the identity replaces the key, and the sealed key is deleted', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const clientEmail = `writer-${name}@p.iam.gserviceaccount.com`;
  const keyed = await update({ credentials: { clientEmail, privateKey: pem } });
  equal(keyed.status, 200, keyed.text);
  deepEqual([keyed.body.data.credentials.clientEmail, keyed.body.data.workloadIdentity], [clientEmail, undefined]);
  ok((await storedDestination())?.sealed);
  const keyless = await update({ workloadIdentity: { projectNumber: number } });
  equal(keyless.status, 200, keyless.text);
  deepEqual(keyless.body.data.credentials, {});
  deepEqual((await call(rows.get, { ...by(), params: { storageId } })).body.data, keyless.body.data);
  const stored = await storedDestination();
  deepEqual([stored?.sealed, stored?.masked], [undefined, {}]);
  ok(!JSON.stringify(stored).includes(clientEmail));
  // A change of something else keeps the identity, and what was read can be sent again.
  const { workloadIdentity } = keyless.body.data;
  const renamed = await update({ name: 'Renamed', workloadIdentity });
  deepEqual([renamed.status, renamed.body.data.workloadIdentity], [200, workloadIdentity]);
});

test('keyless bucket: backup, verification, browsing, import, restore, undo and deletion work', async () => {
  const first = await backUp();
  equal(first.status, 'completed', JSON.stringify(first.error));
  const params = { backupId: first.id };
  equal((await call(backups.verify, { ...by(), params, body: { depth: 'full' } })).status, 202);
  const { verification } = await lookUntil(
    async () => (await call(backups.get, { ...by(), params })).body.data,
    ({ verification: found }) => found !== null && found !== undefined && found.status !== 'running',
  );
  equal(verification?.status, 'passed', JSON.stringify(verification));
  const looked = await call(backupContents.documents, { ...by(), params, query: { path: 'users/ada' } });
  equal(looked.status, 200, looked.text);

  for (const key of await objectsBelow(`${first.path}/`)) {
    const body = await (await gcs(`/storage/v1/b/${bucket}/o/${encodeURIComponent(key)}?alt=media`)).arrayBuffer();
    const to = encodeURIComponent(`copies/${key.slice(first.path.length + 1)}`);
    await gcs(`/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${to}`, { method: 'POST', body });
  }
  const what = { projectId: project.id, storageDestinationId: storageId, path: 'copies' };
  const imported = await call(backupContents.register, { ...by(), body: what });
  equal(imported.status, 201, imported.text);

  const before = await contentsOf(project.sourceProjectId);
  await erase(project.sourceProjectId, ['users/ada']);
  const { restoreJobId } = await restore(ours!, params);
  deepEqual(await contentsOf(project.sourceProjectId), before);
  await undo(ours!, restoreJobId);
  ok(!('users/ada' in (await contentsOf(project.sourceProjectId))));

  const last = await backUp();
  equal((await call(backups.remove, { ...by(), params: { backupId: last.id } })).status, 200);
  await lookUntil(
    () => objectsBelow(`${last.path}/`),
    (found) => found.length === 0,
  );
});

test('keyless bucket: bms prints the commands, and changes a destination with the project number', async () => {
  const bms = openBms({ BMS_URL: stageUrl(), BMS_ORGANIZATION: ours!.id });
  equal((await bms.run(['login', '--token'], { input: `${ours!.owner.accessToken}\n` })).code, 0);
  const args = ['storage', 'create', 'Archive', '--type', 'gcs', '--bucket', bucket, '--workload-identity'];
  const printed = await bms.run([...args, '--google-project', sourceProjectId]);
  equal(printed.code, 0, printed.err);
  deepEqual(
    printed.out.split('\n').filter((line) => line.startsWith('gcloud ')),
    (await setUp()).commands.map(({ command }) => command),
  );
  match(printed.err, /Then: bms storage create "Archive" --type gcs/);
  equal((await bms.run(args)).code !== 0, true);
  deepEqual((await bms.run(['storage', 'update', 'Renamed', '--workload-identity', number])).err, '');
});

test('keyless bucket: with a project that moves only the location goes along, because the pool trusts one organization', async () => {
  const other = await newOrganization(ours!.owner, 'Other');
  const moving = await newProject(ours!, { settings: { defaultStorageId: storageId } });
  const body = { organizationId: other.id };
  const moved = await call(projects.update, { ...by(), params: { projectId: moving.id }, body });
  equal(moved.status, 200, moved.text);
  const { data } = (await call(rows.get, { ...by(other), params: { storageId } })).body;
  deepEqual([data.status, data.credentials, data.workloadIdentity], ['error', {}, undefined]);
  match(data.lastError?.message ?? '', /stayed in its former organization/);
});

test('keyless bucket: after the pool is deleted, tests and backups say why the store cannot be used', async () => {
  await shell(`gcloud iam workload-identity-pools delete backups --project=${sourceProjectId} --location=global`);
  const reason = /knows no enabled workload identity pool provider/;
  refused(await call(rows.test, { ...by(), params: { storageId } }), 'workloadIdentity', reason);
  const { data } = (await call(rows.get, { ...by(), params: { storageId } })).body;
  deepEqual([data.status, data.lastError?.step, data.lastError?.kind], ['error', 'workloadIdentity', 'denied']);
  const { status, error } = await backUp();
  deepEqual([status, error?.code], ['failed', 'STORAGE_UPLOAD_ERROR']);
  match(error?.message ?? '', reason);
});

/**
 * A project whose Google Cloud project trusts the service by workload identity federation: no key exists. Every function that reads or
 * writes a source must support it: the stage denies calls that the template does not grant, and Firestore denies roles not granted.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { openBms } from '../../harness/env/run-bms.ts';
import { runGcloudShell as shell } from '../../harness/google/run-gcloud-shell.ts';
import { ageBase, auditOnce } from '../../harness/stage/audit.ts';
import { endOf, newDestination, seed, startBackup } from '../../harness/stage/backup.ts';
import { call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, erase, planRestore, restore, undo } from '../../harness/stage/restore.ts';
import { allItems } from '../../harness/stage/table.ts';

const sourceProjectId = `keyless-${randomUUID().slice(0, 8)}`;
const role = 'roles/datastore.user';
let [ours, theirs]: TestOrganization[] = [];
let number = '';
let project: { readonly id: string };
let destination: { readonly id: string };

const by = ({ id, owner }: TestOrganization = ours!) => ({ token: owner.accessToken, org: id });
const body = () => ({ name: 'Keyless', sourceProjectId, workloadIdentity: { projectNumber: number } });
const refusal = ({ status, body: { error } }: { status: number; body: { error: { code: string } } }) => [status, error.code];
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(200);
};

const setUp = async (organization: TestOrganization, query: Record<string, string> = {}) =>
  (await call(projects.workloadIdentity, { ...by(organization), query: { sourceProjectId, role, ...query } })).body.data;

beforeAll(async () => {
  [ours, theirs] = await Promise.all([newOrganization(), newOrganization()]);
  destination = await newDestination(ours);
  const users = ['ada', 'grace', 'edsger'].map((id) => [`users/${id}`, { name: { stringValue: id } }]);
  await seed(sourceProjectId, Object.fromEntries(users));
  number = await shell(`gcloud projects describe ${sourceProjectId} --format='value(projectNumber)'`);
});

test('workload identity: each missing step of the setup is named, and nothing is connected before the last one', async () => {
  const attempt = () => call(projects.create, { ...by(), body: body() });
  const { commands, attributeCondition, principal, audience, awsAccountId } = await setUp(ours!, { projectNumber: number });
  equal((await call(organizations.current, by())).body.data.awsAccountId, awsAccountId);
  const [pool = '', provider = '', grant = ''] = commands.map(({ command }) => command);
  const withoutPool = await attempt();
  deepEqual(refusal(withoutPool), [422, 'SOURCE_AUTH_ERROR']);
  match(withoutPool.body.error.message, /knows no enabled workload identity pool provider/);

  await shell(`${pool}; ${provider.replace(/ --attribute-condition=.*/, '')}`);
  const open = await attempt();
  deepEqual(refusal(open), [422, 'SOURCE_AUTH_ERROR']);
  match(open.body.error.message, /accepts other organizations of this service/);
  equal(open.body.error.details.attributeCondition, attributeCondition);

  await shell(provider.replace('create-aws', 'update-aws'));
  const ungranted = await attempt();
  deepEqual(refusal(ungranted), [422, 'SOURCE_AUTH_ERROR']);
  deepEqual([ungranted.body.error.details.role, ungranted.body.error.details.account], ['roles/datastore.viewer', principal]);
  deepEqual((await call(projects.list, by())).body.data, []);

  await shell(grant);
  const connected = await attempt();
  equal(connected.status, 201, connected.text);
  project = connected.body.data;
  deepEqual(connected.body.data.connection, { type: 'workload_identity', email: '', audience });
});

test('workload identity: bad input changes nothing', async () => {
  for (const more of [
    { workloadIdentity: {} },
    { workloadIdentity: { projectNumber: 'shop' } },
    { workloadIdentity: { projectNumber: number, audience: 'x' } },
    { workloadIdentity: { projectNumber: number }, credentials: { clientEmail: 'a@b.c', privateKey: 'x' } },
  ])
    equal((await call(projects.create, { ...by(), body: { ...body(), ...more } })).status, 400);
  equal((await call(projects.list, by())).body.data.length, 1);
});

test('workload identity: another organization cannot use the pool, nor is the project connected for it', async () => {
  const refused = await call(projects.create, { ...by(theirs), body: body() });
  deepEqual(refusal(refused), [422, 'SOURCE_AUTH_ERROR']);
  match(refused.body.error.message, new RegExp(`attribute condition.*${theirs!.id}`));
  ok(!refused.text.includes(ours!.id));
});

test('workload identity: estimate, backup, comparison, restore, undo and capture work, and no key is stored', async () => {
  const what = { projectId: project.id, storageDestinationId: destination.id };
  equal((await call(projects.collections, { ...by(), params: { projectId: project.id } })).status, 200);
  equal((await call(backups.create, { ...by(), body: { ...what, dryRun: true } })).status, 200);
  const { id: backupId } = await startBackup(ours!, what);
  const ended = await endOf(ours!, backupId);
  equal(ended.status, 'completed', JSON.stringify(ended.error));
  const compared = await call(backupContents.diff, { ...by(), params: { backupId }, query: { against: 'live' } });
  equal(compared.status, 200, compared.text);

  const before = await contentsOf(sourceProjectId);
  await erase(sourceProjectId, ['users/ada']);
  equal((await planRestore(ours!, { backupId })).create, 1);
  const { restoreJobId } = await restore(ours!, { backupId });
  deepEqual(await contentsOf(sourceProjectId), before);
  await undo(ours!, restoreJobId);
  ok(!('users/ada' in (await contentsOf(sourceProjectId))));

  const params = { projectId: project.id };
  const capture = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
  equal((await call(pitr.enable, { ...by(), params, body: capture })).status, 202);
  await until(async () => (await call(pitr.get, { ...by(), params })).body.data.lastCapture != null);
  await ageBase(ours!, project.id, 3);
  const { problem, documents } = await auditOnce(ours!, project.id);
  deepEqual([problem, documents], [null, 1]);
  equal((await call(pitr.disable, { ...by(), params })).status, 200);

  const stored = (await allItems()).find(({ sk }) => sk === `PROJECT#${project.id}`);
  deepEqual(Object.keys((stored?.connection ?? {}) as object).sort(), ['audience', 'email', 'type']);
});

test('workload identity: users of Firebase Authentication are backed up once their role is granted', async () => {
  const url = `http://${stageVariable('STAGE_FIRESTORE')}/v1/projects/${sourceProjectId}/accounts:batchCreate`;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer owner' };
  const users = ['ada', 'grace'].map((localId) => ({ localId, email: `${localId}@example.com` }));
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ users }) });
  ok(answer.ok, `${answer.status}`);
  const { principal } = await setUp(ours!, { projectNumber: number });
  const backUp = async () => {
    const what = { projectId: project.id, storageDestinationId: destination.id, includeAuthUsers: true };
    return endOf(ours!, (await startBackup(ours!, what)).id);
  };
  const without = await backUp();
  deepEqual([without.status, without.error?.code], ['failed', 'SOURCE_AUTH_ERROR']);
  match(without.error?.message ?? '', /roles\/firebaseauth\.admin/);
  await shell(
    `gcloud projects add-iam-policy-binding ${sourceProjectId} --member="${principal}" --role=roles/firebaseauth.admin`,
  );
  const again = await call(projects.reconnect, {
    ...by(),
    params: { projectId: project.id },
    body: { workloadIdentity: { projectNumber: number } },
  });
  equal(again.status, 200, again.text);
  const ended = await backUp();
  deepEqual([ended.status, ended.authUsers], ['completed', 2], JSON.stringify(ended.error));
});

test('workload identity: a service account is acted for only with the role on it, and needs its own roles', async () => {
  const serviceAccountEmail = `backups@${sourceProjectId}.iam.gserviceaccount.com`;
  const reconnect = () =>
    call(projects.reconnect, {
      ...by(),
      params: { projectId: project.id },
      body: { workloadIdentity: { projectNumber: number, serviceAccountEmail } },
    });
  match((await reconnect()).body.error.message, /may not act as backups@.*roles\/iam\.workloadIdentityUser/);
  const [, , act = ''] = (await setUp(ours!, { serviceAccountEmail })).commands.map(({ command }) => command);
  await shell(act);
  const powerless = await reconnect();
  deepEqual([powerless.status, powerless.body.error.details.account], [422, serviceAccountEmail]);
  await shell(
    `gcloud projects add-iam-policy-binding ${sourceProjectId} --member=serviceAccount:${serviceAccountEmail} --role=${role}`,
  );
  const connected = await reconnect();
  equal(connected.status, 200, connected.text);
  equal(connected.body.data.connection.email, serviceAccountEmail);
});

test('workload identity: bms prints the commands, and reconnects with the project number', async () => {
  const bms = openBms({ BMS_URL: stageUrl(), BMS_ORGANIZATION: ours!.id });
  equal((await bms.run(['login', '--token'], { input: `${ours!.owner.accessToken}\n` })).code, 0);
  const { code, out, err } = await bms.run(['projects', 'connect', sourceProjectId, '--workload-identity']);
  equal(code, 0, err);
  deepEqual(
    out.split('\n').filter((line) => line.startsWith('gcloud ')),
    (await setUp(ours!, { role: 'roles/datastore.viewer' })).commands.map(({ command }) => command),
  );
  match(err, /Then: bms projects connect/);
  const again = await bms.run(['projects', 'reconnect', 'Keyless', '--workload-identity', number]);
  deepEqual([again.code, again.err], [0, '']);
});

test('workload identity: a project that moves must be reconnected, because its pool trusts the former organization', async () => {
  const other = await newOrganization(ours!.owner, 'Other');
  const { id: projectId } = (await call(projects.create, { ...by(), body: { ...body(), name: 'Second' } })).body.data;
  const moved = await call(projects.update, { ...by(), params: { projectId }, body: { organizationId: other.id } });
  equal(moved.status, 200, moved.text);
  deepEqual([moved.body.data.status, moved.body.data.connection.audience], ['unauthorized', undefined]);
});

test('workload identity: after the pool is deleted a backup fails and the project is unauthorized', async () => {
  await shell(`gcloud iam workload-identity-pools delete backups --project=${sourceProjectId} --location=global`);
  const { id } = await startBackup(ours!, { projectId: project.id, storageDestinationId: destination.id });
  const { status, error } = await endOf(ours!, id);
  deepEqual([status, error?.code], ['failed', 'SOURCE_AUTH_ERROR']);
  match(error?.message ?? '', /workload identity pool provider/);
  await until(
    async () => (await call(projects.get, { ...by(), params: { projectId: project.id } })).body.data.status === 'unauthorized',
  );
});

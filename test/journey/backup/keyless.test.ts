/**
 * A customer that shares as little as possible: a role instead of keys, a service account instead of a user's grant, a passphrase
 * instead of our key. Every function that uses a bucket, a source or a data key must support these: the stage denies calls that the
 * template does not grant.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { ageBase, auditOnce } from '../../harness/stage/audit.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, erase, planRestore, restore, undo } from '../../harness/stage/restore.ts';

const name = randomUUID().slice(0, 8);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const credentials = {
  clientEmail: `reader-${name}@p.iam.gserviceaccount.com`,
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};

let organization: TestOrganization;
let project: Awaited<ReturnType<typeof newProject>>;
let destination: Awaited<ReturnType<typeof newDestination>>;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
const what = () => ({ projectId: project.id, storageDestinationId: destination.id });

/** Creates a completed backup. */
const backUp = async (more: object = {}) => {
  const { id } = await startBackup(organization, { ...what(), ...more });
  const ended = await endOf(organization, id);
  equal(ended.status, 'completed', JSON.stringify(ended.error));
  return ended;
};
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(200);
};

beforeAll(async () => {
  organization = await newOrganization();
  const passphrase = 'a passphrase of this test only';
  equal((await call(encryption.set, { ...by(), body: { mode: 'customer', passphrase } })).status, 200);
  [destination, project] = await Promise.all([
    newDestination(organization, { credentials: { roleArn: `arn:aws:iam::210987654321:role/writer-${name}` } }),
    newProject(organization, { credentials }),
  ]);
  const users = ['ada', 'grace', 'edsger'].map((id) => [`users/${id}`, { name: { stringValue: id } }]);
  await seed(project.sourceProjectId, Object.fromEntries(users));
});

test('least-trust customer: estimate, backup, verification, browse and diff work', async () => {
  equal((await call(projects.collections, { ...by(), params: { projectId: project.id } })).status, 200);
  equal((await call(backups.create, { ...by(), body: { ...what(), dryRun: true } })).status, 200);
  const { id: backupId } = await backUp();
  equal((await call(backups.verify, { ...by(), params: { backupId }, body: { depth: 'full' } })).status, 202);
  await until(
    async () => (await call(backups.get, { ...by(), params: { backupId } })).body.data.verification?.status === 'passed',
  );
  const looked = await call(backupContents.documents, { ...by(), params: { backupId }, query: { path: 'users/ada' } });
  equal(looked.status, 200, looked.text);
  const compared = await call(backupContents.diff, { ...by(), params: { backupId }, query: { against: 'live' } });
  equal(compared.status, 200, compared.text);
});

test('least-trust customer: an incremental backup can be made, copied, imported and deleted with its objects', async () => {
  const link = await backUp({ type: 'incremental' });
  const full = await backUp({ type: 'full' });
  for (const key of Object.keys(await objectsIn(destination.bucket, `${full.path}/`)))
    await bucketClient().send(
      new CopyObjectCommand({
        Bucket: destination.bucket,
        CopySource: `${destination.bucket}/${key}`,
        Key: `copies/${key.slice(full.path.length + 1)}`,
      }),
    );
  const imported = await call(backupContents.register, { ...by(), body: { ...what(), path: 'copies' } });
  equal(imported.status, 201, imported.text);
  equal((await call(backups.remove, { ...by(), params: { backupId: link.id } })).status, 200);
  await until(async () => Object.keys(await objectsIn(destination.bucket, `${link.path}/`)).length === 0);
});

test('least-trust customer: lost documents are restored, and the restore is undone', async () => {
  const { id: backupId } = await backUp();
  const before = await contentsOf(project.sourceProjectId);
  await erase(project.sourceProjectId, ['users/ada']);
  equal((await planRestore(organization, { backupId })).create, 1);
  const { restoreJobId } = await restore(organization, { backupId });
  deepEqual(await contentsOf(project.sourceProjectId), before);
  await undo(organization, restoreJobId);
  ok(!('users/ada' in (await contentsOf(project.sourceProjectId))));
});

test('least-trust customer: a project moves with its service account to another organization', async () => {
  const other = await newOrganization(organization.owner, 'Other');
  const { id } = await newProject(organization, { credentials });
  const moved = await call(projects.update, { ...by(), params: { projectId: id }, body: { organizationId: other.id } });
  equal(moved.status, 200, moved.text);
});

test('least-trust customer: keys are rewrapped, and changes are captured and audited', async () => {
  equal((await call(encryption.rotate, by())).status, 202);
  await until(async () => (await call(encryption.get, by())).body.data.rewrap === 'idle');
  const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
  equal((await call(pitr.enable, { ...by(), params: { projectId: project.id }, body })).status, 202);
  await until(async () => (await call(pitr.get, { ...by(), params: { projectId: project.id } })).body.data.lastCapture !== null);
  await ageBase(organization, project.id, 3);
  const { problem, documents, differences } = await auditOnce(organization, project.id);
  deepEqual([problem, documents, differences], [null, 1, 0]);
  equal((await call(pitr.disable, { ...by(), params: { projectId: project.id } })).status, 200);
});

/** A chain in a bucket with Object Lock: the owner of the bucket cannot break its newest link before its time. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectRetentionCommand,
  ListObjectVersionsCommand,
  type ObjectVersion,
  PutObjectCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import { Firestore } from '@google-cloud/firestore';
import { beforeAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { runArchive } from '../../harness/env/run-archive-command.ts';
import { endOf, newBucket, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectsIn } from '../../harness/stage/bucket.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, restore } from '../../harness/stage/restore.ts';

let organization: TestOrganization;
let project: Awaited<ReturnType<typeof newProject>>;
let destination: Awaited<ReturnType<typeof newDestination>>;
let bucket: string;
let links: Awaited<ReturnType<typeof endOf>>[] = [];
/** A project with point-in-time recovery in the same bucket: a moment, and its documents. */
let captured: Awaited<ReturnType<typeof newProject>>;
let moment: string;
let documentsThen: Awaited<ReturnType<typeof contentsOf>>;
const passphrase = 'a passphrase of the organization';
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
const owner = bucketClient();

const take = async (type: string, days: number) => {
  const params = { storageId: destination.id };
  const body = { objectLock: { mode: 'governance', days } };
  equal((await call(storageDestinations.update, { ...by(), params, body })).status, 200);
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id, type });
  const backup = await endOf(organization, id);
  equal(backup.status, 'completed', JSON.stringify(backup.error));
  return backup;
};

const verify = async (backupId: string) => {
  equal((await call(backups.verify, { ...by(), params: { backupId }, body: { depth: 'full' } })).status, 202);
  for (;;) {
    const { data } = (await call(backups.get, { ...by(), params: { backupId } })).body;
    if (data.verification?.status !== 'running') return data;
    await pause(200);
  }
};

/** Every stored version that a backup of the chain or the captured project needs. */
const storedVersions = async (): Promise<readonly ObjectVersion[]> => {
  const { Versions = [] } = await owner.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: destination.prefix }));
  const paths = [...links.map(({ path }) => path), captured.id];
  return Versions.filter(({ Key = '' }) => paths.some((path) => Key.includes(path)));
};

const assertRestored = async (): Promise<void> => {
  const [copy, past] = await Promise.all([newProject(organization), newProject(organization)]);
  const [{ safetyBackupId }] = await Promise.all([
    restore(organization, { backupId: links.at(-1)!.id, targetProjectId: copy.id }),
    restore(organization, { projectId: captured.id, pointInTime: moment, targetProjectId: past.id }),
  ]);
  deepEqual(await contentsOf(copy.sourceProjectId), await contentsOf(project.sourceProjectId));
  deepEqual(await contentsOf(past.sourceProjectId), documentsThen);
  const safety = (await call(backups.get, { ...by(), params: { backupId: safetyBackupId! } })).body.data;
  ok(safety.lockedUntil !== null && safety.immutableUntil! >= safety.lockedUntil.slice(0, 19), JSON.stringify(safety));
};

const assertReadWithoutService = async (): Promise<void> => {
  const env = { ARCHIVE_PASSPHRASE: passphrase, AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'not-so-secret' };
  const { path } = links.at(-1)!;
  const [verified, listed] = await Promise.all([
    runArchive(['verify', `s3://${bucket}/${path}`, '--endpoint', stageVariable('STAGE_S3_URL')], env),
    runArchive(
      ['ls', `s3://${bucket}/${path.slice(0, path.lastIndexOf('/'))}`, '--endpoint', stageVariable('STAGE_S3_URL')],
      env,
    ),
  ]);
  equal(verified.code, 0, verified.err + verified.out);
  for (const { id } of links) ok(listed.out.includes(`${id}  complete`), listed.out + listed.err);
};

const captureMoment = async (): Promise<void> => {
  captured = await newProject(organization);
  const { sourceProjectId } = captured;
  const of = { ...by(), params: { projectId: captured.id } };
  const client = new Firestore({ projectId: sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
  await client.doc('users/ada').set({ visits: 1 });
  const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
  equal((await call(pitr.enable, { ...of, body })).status, 202);
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await pause(500);
  };
  await until(async () => (await call(pitr.get, of)).body.data.status === 'active');
  await client.doc('users/grace').set({ visits: 2 });
  // A document that is created and deleted between two captures is unknown.
  await until(async () => (await call(pitr.get, of)).body.data.changesCaptured > 0);
  documentsThen = await contentsOf(sourceProjectId);
  await pause(1_000 - (Date.now() % 1_000) + 50);
  moment = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
  await client.recursiveDelete(client.collection('users'));
  await client.terminate();
  await until(async () => {
    const { windows } = (await call(pitr.windows, of)).body.data;
    return windows.some(({ from, to, complete }) => complete && from <= moment && moment < to);
  });
};

beforeAll(async () => {
  organization = await newOrganization();
  equal((await call(encryption.set, { ...by(), body: { mode: 'customer', passphrase } as never })).status, 200);
  bucket = await newBucket(undefined, { hasObjectLock: true });
  [project, destination] = await Promise.all([
    newProject(organization),
    newDestination(organization, { bucket, objectLock: { mode: 'governance', days: 1 } }),
  ]);
  await seed(
    project.sourceProjectId,
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`things/${n}`, { n: { integerValue: String(n) } }])),
  );
  const client = new Firestore({ projectId: project.sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
  const capturing = captureMoment();
  links = [await take('full', 1)];
  await client.doc('things/7').set({ text: 'changed' });
  links.push(await take('incremental', 3));
  await client.doc('things/8').set({ text: 'changed' });
  links.push(await take('incremental', 5));
  await client.terminate();
  await capturing;
});

test('immutable chain: credentials that cannot extend a lock fail the test of the destination', async () => {
  const credentials = { accessKeyId: 'noextend1', secretAccessKey: 'secret' };
  const body = { name: 'No', type: 's3', bucket, credentials, objectLock: { mode: 'governance', days: 1 } };
  const { status, body: answer } = await call(storageDestinations.create, { ...by(), body });
  deepEqual([status, answer.error.code, answer.error.details.step], [422, 'STORAGE_ERROR', 'lock']);
});

test('immutable chain: the lock of every needed object is extended, as the store says', async () => {
  const newest = links[2]!;
  deepEqual(
    links.map(({ type }) => type),
    ['full', 'incremental', 'incremental'],
  );
  ok(newest.immutableUntil !== null && newest.immutableUntil >= newest.lockedUntil!, JSON.stringify(newest));
  const needed = [
    ...Object.keys(await objectsIn(bucket, newest.path)),
    ...[links[0]!, links[1]!].flatMap(({ path }) => [`${path}/key`]),
    ...Object.keys(await objectsIn(bucket, `${links[0]!.path}/chunk/`)),
    ...Object.keys(await objectsIn(bucket, `${links[1]!.path}/chunk/`)),
  ];
  const ends = await Promise.all(
    needed.map(
      async (Key) => (await owner.send(new GetObjectRetentionCommand({ Bucket: bucket, Key }))).Retention!.RetainUntilDate!,
    ),
  );
  equal(newest.immutableUntil, ends.map((end) => end.toISOString()).sort()[0]);
});

test('immutable chain: the owner of the bucket can delete nothing, and the newest link and a moment are restored nevertheless', async () => {
  const stored = await storedVersions();
  ok(stored.length >= 15 && stored.some(({ Key }) => Key?.includes('/pitr/')));
  for (const { Key, VersionId } of stored)
    await rejects(owner.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId })), { name: 'AccessDenied' });
  for (const { Key } of stored) await owner.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  for (const { path } of links) deepEqual(await objectsIn(bucket, path), {});
  await assertRestored();
  await assertReadWithoutService();
  const { verification, immutableUntil } = await verify(links[2]!.id);
  equal(verification?.status, 'passed', JSON.stringify(verification));
  ok(verification.findings.length > 0 && verification.findings.every(({ problem }) => problem === 'hidden'));
  equal(immutableUntil, links[2]!.immutableUntil);
});

test('immutable chain: versions that the owner locks above every object hide nothing, and the next link builds on the genuine ones', async () => {
  const stored = await storedVersions();
  const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: new Date(Date.now() + 9 * 24 * 3_600_000) } as const;
  for (const [n, { Key, Size = 0 }] of stored.entries()) {
    // Of the right size, shorter, longer, and an old version of another object.
    const Body = [Buffer.alloc(Size, 1), Buffer.alloc(Math.ceil(Size / 2)), Buffer.alloc(Size + 1_000)][n % 3]!;
    await owner.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ...lock }));
    if (n % 4 === 0) await owner.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  }
  await assertRestored();
  await assertReadWithoutService();
  const { verification, immutableUntil } = await verify(links[2]!.id);
  equal(verification?.status, 'passed', JSON.stringify(verification));
  const hidden = verification.findings.filter(({ problem }) => problem === 'hidden').map(({ object }) => object);
  ok(hidden.includes('key') && hidden.includes('manifest') && hidden.length === verification.findings.length);
  equal(immutableUntil, links[2]!.immutableUntil);

  // The next link extends the locks of what was stored, not of what lies above it.
  links.push(await take('incremental', 7));
  const next = links[3]!;
  deepEqual([next.type, next.lockProblem], ['incremental', undefined]);
  ok(next.immutableUntil! >= next.lockedUntil!, JSON.stringify(next));
  const genuine = stored.filter(({ Key = '' }) => Key.startsWith(`${links[0]!.path}/chunk/`));
  for (const { Key, VersionId } of genuine) {
    const { Retention } = await owner.send(new GetObjectRetentionCommand({ Bucket: bucket, Key, VersionId }));
    ok(Retention!.RetainUntilDate!.toISOString() >= next.lockedUntil!.slice(0, 19), Key);
  }
  equal((await verify(next.id)).verification?.status, 'passed');
});

test('immutable chain: a verification notices a lock that was shortened, and corrects the record', async () => {
  const { Versions = [] } = await owner.send(
    new ListObjectVersionsCommand({ Bucket: bucket, Prefix: `${links[0]!.path}/chunk/` }),
  );
  // The oldest version of the last object is the one that was stored.
  const { Key, VersionId } = Versions.at(-1)!;
  const RetainUntilDate = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
  const Retention = { Mode: 'GOVERNANCE', RetainUntilDate } as const;
  await owner.send(new PutObjectRetentionCommand({ Bucket: bucket, Key, VersionId, Retention, BypassGovernanceRetention: true }));
  const { verification, immutableUntil, lockedUntil, lockProblem } = await verify(links[2]!.id);
  deepEqual(
    verification?.findings
      .filter(({ problem }) => problem === 'unlocked')
      .map(({ object }) => object.endsWith(Key!.split('/').at(-1)!)),
    [true],
  );
  equal(immutableUntil, RetainUntilDate.toISOString());
  ok(lockProblem && immutableUntil < lockedUntil!);
  // People are told: the default alert sends warnings to the owner.
  for (;;) {
    const { data } = (await call(alerts.incidents, { ...by(), query: { status: 'open' } })).body;
    const incident = data.find(({ kind, subject }) => kind === 'lock_problem' && subject.id === project.id);
    if (incident?.message.includes(`Backup ${links[2]!.id}`) && incident.message.includes('ends earlier than its own')) break;
    await pause(200);
  }
});

/** A store that, like MinIO, lists unfinished uploads by the exact name of their object: those of crashed workers are found by name. */
import { deepEqual, equal } from 'node:assert/strict';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, test } from 'vitest';
import { objectName } from '../../../../shared/archive/index.ts';
import { claimNextPart } from '../../../../shared/backup/copy/shard-progress.ts';
import { backupJobs, planBackup, prepareBackup } from '../../../../shared/backup/index.ts';
import { StorageError } from '../../../../shared/destination/index.ts';
import { openConfiguredStore } from '../../../../shared/destination/open/open-store.ts';
import type { ObjectStore } from '../../../../shared/destination/store/object-store.ts';
import { reapRunningJobs } from '../../../../shared/job/index.ts';
import { deleteBatch } from '../../../../shared/pitr/batch/delete-batch.ts';
import { after } from '../../../../shared/platform/index.ts';
import { purgeBackups } from '../../../../shared/stored-backup/index.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';
import { bucket, keys, quick, type Stops, startS3, stopAll } from '../../../harness/store/store-stands.ts';

const t = await createBackupEnv();
const stops: Stops = [];
let client: S3Client;
let url = '';
beforeAll(async () => {
  url = await startS3(stops);
  process.env.S3_URL = url;
  process.env.PRIVATE_HOSTS = '';
  client = new S3Client({ endpoint: url, region: 'eu-central-1', forcePathStyle: true, credentials: { ...keys } });
});
afterAll(async () => {
  client.destroy();
  await stopAll(stops);
});

const config = { type: 's3', bucket, region: 'eu-central-1', endpoint: null, objectLock: null } as const;
/** The same bucket as if it were MinIO's. */
const storeOf = (folder: string): Promise<ObjectStore> =>
  openConfiguredStore(t.tenant, {
    config,
    credentials: { ...keys, accessKeyId: `minio${keys.accessKeyId}` },
    folder,
    retryPolicy: quick,
  });
/** What a worker that crashed leaves. */
const leaveUpload = (folder: string, name: string) =>
  client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: `${folder}/${name}` }));
const uploadsBelow = async (folder: string): Promise<number> =>
  (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: `${folder}/` }))).Uploads?.length ?? 0;

let folders = 0;
/** Resets the environment to a bucket of MinIO, and returns the folder of the backup. */
const resetToMinio = async (): Promise<string> => {
  t.reset();
  await t.writePaths(['a/1', 'b/1']);
  const folder = `folder-${++folders}`;
  const store = await storeOf(folder);
  stops.push(() => store.close());
  // Every step closes the store that it opened.
  t.wrapStore = () => ({ ...bound(store), close: () => undefined });
  return folder;
};
const openStore = async (): Promise<ObjectStore> => t.wrapStore(t.store, '');
const leaveUploadsOfPart = async (id: string, folder: string): Promise<void> => {
  const claim = await claimNextPart(t.tenant, { backup: t.backupOf(id), number: 0, clock: t.clock });
  for (const kind of ['chunk', 'index'] as const) await leaveUpload(folder, objectName(kind, 0, claim?.part));
  equal(await uploadsBelow(folder), 2);
};
/** A backup whose worker crashed while it uploaded a part. */
const startCrashedBackup = async (folder: string): Promise<string> => {
  const id = await t.startBackup();
  await prepareBackup(t.tenant, id, t.deps);
  await planBackup(t.tenant, id, t.deps);
  await leaveUploadsOfPart(id, folder);
  return id;
};

test('the store lists an unfinished upload by its exact name only', async () => {
  await leaveUpload('exact', 'chunk/00000000-0000');
  const store = await storeOf('exact');
  deepEqual([await store.abortUnfinishedUploads(''), await store.abortUnfinishedUploads('chunk/')], [0, 0]);
  equal(await store.abortUnfinishedUploads('chunk/00000000-0000'), 1);
});

test('clean-up: the uploads of a crashed worker are aborted, after a refusal, too', async () => {
  const folder = await resetToMinio();
  const id = await startCrashedBackup(folder);
  const store = await openStore();
  t.wrapStore = () => ({ ...store, remove: async () => Promise.reject(new StorageError('denied', 'Access Denied')) });
  const reap = () =>
    reapRunningJobs(
      backupJobs(t.deps, { describe: async () => 'ended', start: async () => {}, stop: async () => {} }),
      () => t.tenant,
    );
  await reap();
  equal(t.backupOf(id).status, 'failed');
  equal(await uploadsBelow(folder), 2);
  t.wrapStore = () => store;
  t.nowMs = () => after(new Date(), 3_600).getTime();
  await reap();
  equal(await uploadsBelow(folder), 0);
});

test('completion: the upload of a crashed worker is aborted although its backup completes', async () => {
  const folder = await resetToMinio();
  const id = await t.startBackup();
  await t.runBackup(id, { afterPlan: () => leaveUploadsOfPart(id, folder) });
  equal(t.backupOf(id).status, 'completed');
  equal(await uploadsBelow(folder), 0);
});

test('purge: the uploads of a backup that still runs are aborted', async () => {
  const folder = await resetToMinio();
  await startCrashedBackup(folder);
  const { clock } = t;
  const options = { clock, deadline: after(clock.now(), 60), deleteBackupData: true, isPatient: true };
  equal(await purgeBackups(t.tenant, options, openStore), true);
  equal(await uploadsBelow(folder), 0);
});

test('captures: the upload of a batch is aborted by its name', async () => {
  const folder = await resetToMinio();
  await leaveUpload(folder, 'chunk/00000000-0000');
  equal(await uploadsBelow(folder), 1);
  await deleteBatch(t.tenant, { path: folder, storageDestinationId: t.destinationId }, openStore);
  equal(await uploadsBelow(folder), 0);
});

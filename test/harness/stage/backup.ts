/** Creates projects, buckets and backups through the API, with the stage's Firestore and S3. */

import { randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import { awsAuthorization } from '../../../infra/local/base/aws-authorization.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import type { Backup } from '../../../shared/contract/models/backup.ts';
import { lookUntil } from '../time/look-until.ts';
import { call, type Result, stageVariable } from './client.ts';
import type { TestOrganization } from './organization.ts';

type BackupData = z.output<typeof Backup>;

const expectStatus = <D>(result: Result<D>, status: number): D => {
  if (result.status !== status) throw new Error(`expected ${status}, got ${result.status}: ${result.text}`);
  return result.body.data;
};
const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });

/** A new bucket. */
export const newBucket = async (
  bucket = `bucket-${randomUUID().slice(0, 8)}`,
  { hasObjectLock = false } = {},
): Promise<string> => {
  const answer = await fetch(`${stageVariable('STAGE_S3_URL')}/${bucket}`, {
    method: 'PUT',
    headers: {
      authorization: awsAuthorization({ accessKeyId: 'test', region: 'us-east-1', service: 's3' }),
      ...(hasObjectLock && { 'x-amz-bucket-object-lock-enabled': 'true' }),
    },
  });
  if (!answer.ok) throw new Error(`the bucket was not created: ${answer.status}`);
  return bucket;
};

export const newDestination = async (organization: TestOrganization, more: object = {}) => {
  const body = {
    name: 'Bucket',
    type: 's3',
    bucket: await newBucket(),
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'not-so-secret' },
    ...more,
  };
  return expectStatus(await call(storageDestinations.create, { ...by(organization), body }), 201);
};

/** A new source project, connected with the owner's grant. */
export const newProject = async (organization: TestOrganization, more: object = {}) => {
  const body = { name: 'Project', sourceProjectId: `source-${randomUUID().slice(0, 8)}`, ...more };
  return expectStatus(await call(projects.create, { ...by(organization), body }), 201);
};

/** Writes documents (fields in REST form) by path. */
export const seed = async (
  sourceProjectId: string,
  documents: Readonly<Record<string, object>>,
  databaseId = '(default)',
): Promise<void> => {
  const root = `projects/${sourceProjectId}/databases/${databaseId}/documents`;
  const writes = Object.entries(documents).map(([path, fields]) => ({ update: { name: `${root}/${path}`, fields } }));
  for (let n = 0; n < writes.length; n += 500) {
    const answer = await fetch(
      `http://${stageVariable('STAGE_FIRESTORE')}/v1/projects/${sourceProjectId}/databases/${databaseId}/documents:commit`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
        body: JSON.stringify({ writes: writes.slice(n, n + 500) }),
      },
    );
    if (!answer.ok) throw new Error(`the documents were not written: ${answer.status} ${await answer.text()}`);
  }
};

export const startBackup = async (organization: TestOrganization, body: object): Promise<BackupData> =>
  expectStatus(await call(backups.create, { ...by(organization), body }), 202) as BackupData;

/** Waits until the backup has ended, with any status. */
export const endOf = (organization: TestOrganization, backupId: string): Promise<BackupData> =>
  lookUntil(
    async () => expectStatus(await call(backups.get, { ...by(organization), params: { backupId } }), 200),
    ({ status }) => status !== 'pending' && status !== 'running',
  );

/** A completed backup of a few documents, with its own project and bucket. */
export const takeBackup = async (organization: TestOrganization, more: object = {}): Promise<BackupData> => {
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, {
    'users/ada': { name: { stringValue: 'Ada' }, born: { integerValue: '1815' } },
    'users/ada/notes/g': { text: { stringValue: 'Note G' } },
    'users/grace': { name: { stringValue: 'Grace' } },
  });
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id, ...more });
  const ended = await endOf(organization, id);
  if (ended.status !== 'completed')
    throw new Error(`the backup ended with status ${ended.status}: ${JSON.stringify(ended.error)}`);
  return ended;
};

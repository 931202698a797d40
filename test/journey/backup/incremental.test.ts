/** Incremental backups over the running stage: estimated, created, read, and protected from losing their parent. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeAll, describe, test } from 'vitest';
import type * as z from 'zod/mini';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import type { Backup, Estimate } from '../../../shared/contract/models/backup.ts';
import { endOf, seed, startBackup, takeBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

type Shown = z.output<typeof Backup>;

describe('an incremental backup', { concurrent: false }, () => {
  let organization: TestOrganization;
  let full: Shown;
  let link: Shown;
  const by = () => ({ token: organization.owner.accessToken, org: organization.id });
  const request = () => ({ projectId: full.projectId, storageDestinationId: full.storageDestination.id, type: 'incremental' });
  beforeAll(async () => {
    organization = await newOrganization();
    full = await takeBackup(organization);
  });

  test('is estimated to read as much as a full one and to store only the changes', async () => {
    const estimate = async (type: string) => {
      const { status, body } = await call(backups.create, { ...by(), body: { ...request(), type, dryRun: true } });
      equal(status, 200);
      return body.data as z.output<typeof Estimate>;
    };
    const [whole, changed] = [await estimate('full'), await estimate('incremental')];
    ok(whole.bytes! > 0);
    deepEqual([changed.reads, changed.bytes], [whole.reads, 0]);
  });

  test('builds on the latest backup and contains the current state', async () => {
    const project = await call(projects.get, { ...by(), params: { projectId: full.projectId } });
    await seed(project.body.data.sourceProjectId, { 'users/grace': { name: { stringValue: 'Grace Hopper' } } });
    const begun = await startBackup(organization, request());
    deepEqual([begun.type, begun.parentBackupId], ['incremental', full.id]);
    link = await endOf(organization, begun.id);
    deepEqual(
      { status: link.status, error: link.error, documentCount: link.documentCount, countVerified: link.countVerified },
      { status: 'completed', error: null, documentCount: 3, countVerified: true },
    );
    const names = async (path: string) => {
      const answer = await call(backupContents.documents, { ...by(), params: { backupId: link.id }, query: { path } });
      return answer.body.data.map(({ fields }) => (fields as { name?: { stringValue: string } }).name?.stringValue);
    };
    deepEqual(await names('users'), ['Ada', 'Grace Hopper']);
  });

  test('protects its parent from deletion until it is deleted itself', async () => {
    const remove = async ({ id }: Shown) => (await call(backups.remove, { ...by(), params: { backupId: id } })).body;
    const { error } = await remove(full);
    deepEqual([error.code, error.details.neededBy], ['CONFLICT', link.id]);
    match(error.message, /depends on this one/);
    for (const backup of [link, full]) match((await remove(backup)).message ?? '', /was deleted/);
  });
});

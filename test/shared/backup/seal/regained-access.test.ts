/** A completed backup shows that the source grants access again, so that schedules run, too. */
import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, iso } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';
import { resetWithDocuments, runFailingBackup, startOptions } from '../../../harness/env/failed-backup.ts';

const t = await createBackupEnv();

const project = (): ProjectRecord => t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.projectId))!;

const memberKey = () => {
  const { connection } = project();
  return organizationKey.member(t.tenant, (connection.type === 'user' && connection.userId) || '');
};

const resetWithMember = async (): Promise<void> => {
  await resetWithDocuments(t);
  t.table.put({ ...memberKey(), role: 'owner' });
};

const withdrawAccess = (at: Date): void => t.table.put({ ...project(), status: 'unauthorized', updatedAt: iso(at) });

const runBackup = async (afterPlan: () => void | Promise<void> = () => {}): Promise<string> => {
  const id = await t.startBackup(startOptions);
  await t.runBackup(id, { afterPlan });
  equal(t.backupOf(id).status, 'completed');
  return id;
};

describe('an unauthorized project', () => {
  test('is connected again when a backup completes', async () => {
    await resetWithMember();
    t.token = async () => {
      throw new SourceError('SOURCE_AUTH_ERROR', 'The consent was revoked');
    };
    await runFailingBackup(t);
    equal(project().status, 'unauthorized');

    t.token = async () => 'owner';
    const id = await runBackup();
    const { status, lastBackupId, lastBackupAt, updatedAt } = project();
    deepEqual({ status, lastBackupId, updatedAt }, { status: 'connected', lastBackupId: id, updatedAt: lastBackupAt });
  });

  test('stays unauthorized if access was withdrawn while the backup ran', async () => {
    await resetWithMember();
    const id = await runBackup(() => withdrawAccess(new Date(t.nowMs() + 1)));
    deepEqual([project().status, project().lastBackupId], ['unauthorized', id]);
  });

  test('stays unauthorized if it uses the grant of a former member', async () => {
    await resetWithMember();
    withdrawAccess(new Date(t.nowMs() - 60_000));
    const id = await runBackup(() => commit([{ remove: memberKey() }]));
    deepEqual([project().status, project().lastBackupId], ['unauthorized', id]);
  });
});

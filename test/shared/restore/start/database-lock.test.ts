/** Two projects may be connected to one database: a restore locks it exclusively. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { databaseOf, type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { createRestoreEnv, type Fields, firstRestoreStep } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });

interface TwinSetup {
  readonly backup: BackupRecord;
  /** Connected to the same database as the target. */
  readonly twin: ProjectRecord;
}

const createTwinSetup = async (): Promise<TwinSetup> => {
  t.reset();
  await t.put({ 'a/1': { n: integer(1) } });
  const backup = await t.takeBackup();
  const target = t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.targetId))!;
  const id = newId('project');
  const twin = { ...target, ...projectKey.project(t.tenant, id), id, name: 'Twin' };
  t.table.put(twin);
  return { backup, twin };
};
const lockOf = ({ twin }: TwinSetup) => t.table.get(projectKey.databaseJob(t.tenant, databaseOf(twin)));

const ends: Readonly<Record<string, (setup: TwinSetup, id: string) => Promise<unknown>>> = {
  completed: (_, id) => t.runRestore(id),
  failed: async (_, id) => {
    await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
    const { journal } = t.restoreOf(id);
    t.stores.get(journal.path)?.objects.delete('manifest');
    await t.runRestore(id);
  },
  cancelled: async (setup, id) => {
    const actor = { type: 'user' as const, id: newId('user'), email: null };
    const acting = { tenant: t.tenant, organization: t.organization, role: 'owner' as const, actor };
    await commit((await cancelRestore(acting, id, t.clock.now())).change.writes);
    equal(lockOf(setup)?.jobId, id);
    await cleanUpRestore(t.tenant, { restoreJobId: id, deps: t.deps });
  },
};

for (const [status, end] of Object.entries(ends))
  test(`database lock: a restore holds it until it is ${status}; another one is refused with its id, a resumed one, too`, async () => {
    const setup = await createTwinSetup();
    const { backup, twin } = setup;
    const id = await t.startRestore(backup);
    await rejects(t.startRestore(backup, { targetProjectId: twin.id }), {
      code: 'JOB_IN_PROGRESS',
      details: { jobId: id, kind: 'restore' },
    });
    await end(setup, id);
    deepEqual([t.restoreOf(id).status, lockOf(setup)], [status, undefined]);
    const next = await t.startRestore(backup, { targetProjectId: twin.id });
    equal(lockOf(setup)?.jobId, next);
    if (status !== 'completed')
      await rejects(
        resumeRestore(t.tenant, t.restoreOf(id), t.clock.now()).then(({ change }) => commit(change.writes)),
        { code: 'JOB_IN_PROGRESS', details: { jobId: next, kind: 'restore' } },
      );
    equal((await t.runRestore(next)).status, 'completed');
    equal(lockOf(setup), undefined);
  });

/** Two projects may be connected to one database: a restore locks it exclusively. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import type { BackupRecord } from '../../../../shared/backup/index.ts';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { databaseOf, type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import {
  atStart,
  createRestoreEnv,
  type Fields,
  organizationNow,
  put,
  type RestoreEnv,
  restoreOf,
  resumeWorkflow,
  runRestore,
  startTestRestore,
  table,
  takeBackup,
  targetId,
  tenant,
} from '../../../harness/env/restore-env.ts';

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });

interface WriterSetup {
  readonly world: RestoreEnv;
  readonly backup: BackupRecord;
  /** Connected to the same database as the target. */
  readonly twin: ProjectRecord;
}

const sceneOf = async (): Promise<WriterSetup> => {
  const world = createRestoreEnv();
  await put(world, { 'a/1': { n: integer(1) } });
  const backup = await takeBackup(world);
  const target = table.get<ProjectRecord>(projectKey.project(tenant, targetId))!;
  const id = newId('project');
  const twin = { ...target, ...projectKey.project(tenant, id), id, name: 'Twin' };
  table.put(twin);
  return { world, backup, twin };
};
const lockOf = ({ twin }: WriterSetup) => table.get(projectKey.databaseJob(tenant, databaseOf(twin)));

const ends: Readonly<Record<string, (setup: WriterSetup, id: string) => Promise<unknown>>> = {
  completed: ({ world }, id) => runRestore(world, id),
  failed: async ({ world }, id) => {
    await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
    const { journal } = restoreOf(id);
    world.stores.get(journal.path)?.objects.delete('manifest');
    await runRestore(world, id);
  },
  cancelled: async (setup, id) => {
    const { world } = setup;
    const actor = { type: 'user' as const, id: newId('user'), email: null };
    const acting = { tenant, organization: organizationNow(), role: 'owner' as const, actor };
    await commit((await cancelRestore(acting, id, world.engine.clock.now())).change.writes);
    equal(lockOf(setup)?.jobId, id);
    await cleanUpRestore(tenant, id, world.engine);
  },
};

for (const [status, end] of Object.entries(ends))
  test(`database lock: a restore holds it until it is ${status}; another one is refused with its id, a resumed one, too`, async () => {
    const setup = await sceneOf();
    const { world, backup, twin } = setup;
    const id = await startTestRestore(world, backup);
    await rejects(startTestRestore(world, backup, { targetProjectId: twin.id }), {
      code: 'JOB_IN_PROGRESS',
      details: { jobId: id, kind: 'restore' },
    });
    await end(setup, id);
    deepEqual([restoreOf(id).status, lockOf(setup)], [status, undefined]);
    const next = await startTestRestore(world, backup, { targetProjectId: twin.id });
    equal(lockOf(setup)?.jobId, next);
    if (status !== 'completed')
      await rejects(
        resumeRestore(tenant, restoreOf(id), world.engine.clock.now()).then(({ change }) => commit(change.writes)),
        { code: 'JOB_IN_PROGRESS', details: { jobId: next, kind: 'restore' } },
      );
    equal((await runRestore(world, next)).status, 'completed');
    equal(lockOf(setup), undefined);
  });

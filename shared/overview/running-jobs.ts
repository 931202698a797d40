/** Jobs that run now, by project. */
import type * as z from 'zod/mini';
import type { RunningJob } from '../contract/models/overview.ts';
import { getAll, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, projectKey } from '../project/index.ts';
import { restoreData, restoreKey } from '../restore/index.ts';
import { backupKey, backupProgress } from '../stored-backup/index.ts';

type Shown = z.input<typeof RunningJob>;

/** A project has at most one job, which its lock names. */
export const readRunningJobs = async (
  tenant: Tenant,
  projects: readonly ProjectRecord[],
): Promise<ReadonlyMap<string, readonly Shown[]>> => {
  const locks = await getAll(projects.map(({ id }) => projectKey.job(tenant, id)));
  const [backups, restores] = await Promise.all([
    getAll(locks.map((lock) => (lock?.kind === 'backup' ? backupKey.backup(tenant, lock.jobId) : undefined))),
    getAll(locks.map((lock) => (lock?.kind === 'restore' ? restoreKey.restore(tenant, lock.jobId) : undefined))),
  ]);
  return new Map(
    projects.map(({ id: projectId }, n) => {
      const [backup, restore] = [backups[n], restores[n]];
      const jobs = [
        ...(backup ? [jobOf('backup', backup.id, backup, backupProgress(backup).percent)] : []),
        ...(restore ? [jobOf('restore', restore.id, restore, restoreData(restore).progress.percent)] : []),
      ];
      return [projectId, jobs.flat()];
    }),
  );
};

/** The lock is released shortly after the job has ended. */
const jobOf = (
  kind: Shown['kind'],
  id: string,
  { status, phase, createdAt }: { readonly status: string; readonly phase: string; readonly createdAt: string },
  percent: number,
): readonly Shown[] => (status === 'pending' || status === 'running' ? [{ kind, id, status, phase, percent, createdAt }] : []);

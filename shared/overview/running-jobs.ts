/** Jobs that run now, by project. */
import type * as z from 'zod/mini';
import type { RunningJob } from '../contract/models/overview.ts';
import { getAll, type Tenant } from '../platform/index.ts';
import { jobLocksOf } from '../project/index.ts';
import { restoreData, restoreKey } from '../restore/index.ts';
import { backupData, backupKey } from '../stored-backup/index.ts';

type Shown = z.input<typeof RunningJob>;

/** A project has at most one job, which its lock names. Projects without one are missing. */
export const readRunningJobs = async (tenant: Tenant): Promise<ReadonlyMap<string, readonly Shown[]>> => {
  const locks = await Array.fromAsync(jobLocksOf(tenant));
  const [backups, restores] = await Promise.all([
    getAll(locks.map((lock) => (lock.kind === 'backup' ? backupKey.backup(tenant, lock.jobId) : undefined))),
    getAll(locks.map((lock) => (lock.kind === 'restore' ? restoreKey.restore(tenant, lock.jobId) : undefined))),
  ]);
  return new Map(
    locks.map(({ projectId }, n) => {
      const [backup, restore] = [backups[n], restores[n]];
      const jobs = [
        ...(backup ? [{ kind: 'backup', ...backupData(backup) } as const] : []),
        ...(restore ? [{ kind: 'restore', id: restore.id, ...restoreData(restore) } as const] : []),
      ];
      return [projectId, jobs.flatMap(runningJob)];
    }),
  );
};

/** The lock is released shortly after the job has ended. */
const runningJob = (job: Omit<Shown, 'status' | 'percent'> & Job): readonly Shown[] => {
  const { kind, id, status, phase, progress, waitingFor, createdAt, startedAt } = job;
  if (status !== 'pending' && status !== 'running') return [];
  return [{ kind, id, status, phase, percent: progress.percent, waitingFor, createdAt, startedAt }];
};

interface Job {
  readonly status: string;
  readonly progress: { readonly percent: number };
}

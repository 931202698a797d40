/** Jobs that failed within a week, newest first. */
import type * as z from 'zod/mini';
import type { FailedJob } from '../contract/models/overview.ts';
import type { RecentBackup, RecentRestore } from './recent-jobs.ts';

type Shown = z.input<typeof FailedJob>;

const shownMax = 20;
export const recentMs = 7 * 24 * 3_600_000;

export const failedJobs = (
  backups: readonly RecentBackup[],
  {
    restores,
    names,
    now,
  }: { readonly restores: readonly RecentRestore[]; readonly names: ReadonlyMap<string, string>; readonly now: Date },
): Shown[] => {
  const since = new Date(now.getTime() - recentMs).toISOString();
  const failedBackups = backups
    .filter(({ status }) => status === 'failed')
    .map(
      ({ id, projectId, projectName, trigger, scheduleId, completedAt, createdAt, error }): Shown => ({
        kind: 'backup',
        id,
        projectId,
        projectName: names.get(projectId) ?? projectName ?? null,
        trigger,
        scheduleId,
        status: 'failed',
        failedAt: completedAt ?? createdAt,
        error,
      }),
    );
  const failedRestores = restores
    .filter(({ status }) => status === 'failed')
    .map(
      ({ id, targetProjectId, targetProjectName, completedAt, createdAt, error }): Shown => ({
        kind: 'restore',
        id,
        projectId: targetProjectId,
        projectName: names.get(targetProjectId) ?? targetProjectName,
        trigger: null,
        scheduleId: null,
        status: 'failed',
        failedAt: completedAt ?? createdAt,
        error,
      }),
    );
  return [...failedBackups, ...failedRestores]
    .filter(({ failedAt }) => failedAt >= since)
    .sort((a, b) => (a.failedAt < b.failedAt ? 1 : -1))
    .slice(0, shownMax);
};

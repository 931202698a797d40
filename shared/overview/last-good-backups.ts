import { getAll, type Tenant } from '../platform/index.ts';
import type { ProjectRecord } from '../project/index.ts';
import type { ScheduleRecord } from '../schedule/index.ts';
import { type BackupRecord, backupKey } from '../stored-backup/index.ts';
import { isGood } from './project-state.ts';
import { type RecentBackup, readRecentBackups } from './recent-jobs.ts';

/** By project. Beyond the backups that were read, projects and schedules name their last one. */
export const lastGoodBackups = async (
  tenant: Tenant,
  {
    projects,
    schedules,
    recent,
  }: {
    readonly projects: readonly ProjectRecord[];
    readonly schedules: readonly ScheduleRecord[];
    readonly recent: readonly RecentBackup[];
  },
): Promise<ReadonlyMap<string, RecentBackup>> => {
  const found = new Map<string, RecentBackup>();
  const keepNewest = (backup: RecentBackup): void => {
    if (isGood(backup) && backup.id > (found.get(backup.projectId)?.id ?? '')) found.set(backup.projectId, backup);
  };
  recent.forEach(keepNewest);
  const missing = new Set(projects.filter(({ id }) => !found.has(id)).map(({ id }) => id));
  const ids = [
    ...projects.filter(({ id }) => missing.has(id)).map(({ lastBackupId }) => lastBackupId),
    ...schedules.filter(({ projectId }) => missing.has(projectId)).map(({ lastBackupId }) => lastBackupId),
  ].filter((id): id is string => typeof id === 'string');
  const named: readonly (BackupRecord | undefined)[] = await getAll(ids.map((id) => backupKey.backup(tenant, id)));
  for (const backup of named) if (backup) keepNewest(backup);
  return found;
};

/**
 * The same for a sweep, which looks often: reads the backup that completed last of each project, and the recent backups only if one of
 * these is not good.
 */
export const findLastGood = async (
  tenant: Tenant,
  {
    projects,
    schedules,
    now,
  }: { readonly projects: readonly ProjectRecord[]; readonly schedules: readonly ScheduleRecord[]; readonly now: Date },
): Promise<ReadonlyMap<string, RecentBackup>> => {
  const last = await getAll(
    projects.map(({ lastBackupId }) => (lastBackupId === undefined ? undefined : backupKey.backup(tenant, lastBackupId))),
  );
  const good = last.filter((backup) => backup !== undefined).filter(isGood);
  if (good.length === projects.length) return new Map(good.map((backup) => [backup.projectId, backup]));
  const { backups } = await readRecentBackups(tenant, now);
  return lastGoodBackups(tenant, { projects, schedules, recent: [...good, ...backups] });
};

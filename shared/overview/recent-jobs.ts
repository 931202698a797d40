/** The newest jobs of an organization, within a fixed number of table reads. */

import { query, type Tenant } from '../platform/index.ts';
import { type RestoreRecord, restorePrefix } from '../restore/index.ts';
import { type BackupRecord, backupPrefix, visibleBackups } from '../stored-backup/index.ts';

/** Of up to 1 MB each: about 2,000 backups. */
const backupReadsMax = 4;

const backupAttributes = [
  'pk',
  'sk',
  'id',
  'projectId',
  'projectName',
  'type',
  'status',
  'trigger',
  'scheduleId',
  'isPartial',
  'isForeign',
  'retentionDays',
  'readTime',
  'size',
  'documentCount',
  'reads',
  'usdPerMillionReads',
  'storageDestination',
  'verification',
  'verifiedAt',
  'damagedDepth',
  'anomaly',
  'anomalyState',
  'restoreTestedAt',
  'restoreTestedBy',
  'createdAt',
  'completedAt',
  'error',
  'ttl',
  'arriving',
  'leaving',
] as const;
/** What the overview needs of a backup. */
export type RecentBackup = Pick<BackupRecord, (typeof backupAttributes)[number]>;

export interface RecentBackups {
  /** Newest first. */
  readonly backups: readonly RecentBackup[];
  /** False if there are older ones that were not read. */
  readonly isComplete: boolean;
}

export const readRecentBackups = async (tenant: Tenant, now: Date): Promise<RecentBackups> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, newestFirst: true, only: backupAttributes };
  const found: RecentBackup[] = [];
  let after: string | undefined;
  for (let reads = 0; reads < backupReadsMax; reads++) {
    const { items, next } = await query<RecentBackup>({ ...range, after });
    found.push(...(await visibleBackups(tenant, items, now)));
    if (next === undefined) return { backups: found, isComplete: true };
    after = next;
  }
  return { backups: found, isComplete: false };
};

const restoreAttributes = [
  'pk',
  'sk',
  'id',
  'projectId',
  'targetProjectId',
  'targetProjectName',
  'status',
  'dryRun',
  'reads',
  'written',
  'deleted',
  'lateWritten',
  'lateDeleted',
  'createdAt',
  'completedAt',
  'error',
] as const;
export type RecentRestore = Pick<RestoreRecord, (typeof restoreAttributes)[number]>;

/** One read of up to 1 MB, newest first. */
export const readRecentRestores = async (tenant: Tenant): Promise<readonly RecentRestore[]> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix, newestFirst: true, only: restoreAttributes };
  return (await query<RecentRestore>(range)).items;
};

/** A moment as a backup of its own: incremental to its base, and read like any other. */
import { type BackupRecord, backupKey, chainLengthOf, initialBackupFields } from '../../backup/index.ts';
import { undoSeconds } from '../../contract/limits.ts';
import type { Tenant } from '../../platform/index.ts';
import type { PointPlan } from './plan-point.ts';

export interface PointIdentity {
  readonly id: string;
  /** Where its objects are below the bucket. */
  readonly path: string;
  readonly createdAt: string;
  readonly createdBy: BackupRecord['createdBy'];
}

/** It is kept as long as the restore it is made for can be resumed, or taken back, which is counted from that one's end: a day more. */
const retentionDays = Math.ceil(undoSeconds / (24 * 3_600)) + 1;

/** The record as it will be once it is made, but for what is known then only. Frames are bound to what the base's are. */
export const pointBackupRecord = (
  tenant: Tenant,
  { point, base }: Pick<PointPlan, 'point' | 'base'>,
  as: PointIdentity,
): BackupRecord => ({
  ...backupKey.backup(tenant, as.id),
  id: as.id,
  projectId: base.projectId,
  type: 'incremental',
  parentBackupId: base.id,
  chainLength: chainLengthOf(base) + 1,
  status: 'completed',
  phase: 'finished',
  trigger: 'pitr-base',
  scheduleId: null,
  collections: ['*'],
  excludedCollections: [],
  includeAuthUsers: false,
  ...(point.isPartial && { isPartial: true }),
  ...(point.isUnchecked && { mayLackCollections: true }),
  retentionDays,
  storageDestination: base.storageDestination,
  path: as.path,
  archive: { ...base.archive, backup: as.id },
  encryption: base.encryption,
  ...initialBackupFields,
  totalDocuments: 0,
  toldPercent: 100,
  readTime: point.moment,
  createdAt: as.createdAt,
  startedAt: as.createdAt,
  createdBy: as.createdBy,
});

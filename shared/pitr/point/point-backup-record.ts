/** A restore point as a backup: incremental to its base, and read like any other. */

import { undoSeconds } from '../../contract/limits.ts';
import type { Tenant } from '../../platform/index.ts';
import { type BackupRecord, chainLengthOf, finishedFields, newBackupRecord } from '../../stored-backup/index.ts';
import type { PointPlan } from './plan-point.ts';

interface PointIdentity {
  readonly id: string;
  /** The folder of its objects in the bucket. */
  readonly path: string;
  readonly createdAt: string;
  readonly createdBy: BackupRecord['createdBy'];
}

/** The backup is kept while its restore can be resumed or undone. That counts from the end of the restore: one day more. */
const retentionDays = Math.ceil(undoSeconds / (24 * 3_600)) + 1;

/** The record of the finished point, without its contents. It shares the archive identity of the base. */
export const pointBackupRecord = (
  tenant: Tenant,
  { point, base, auditedSince }: Pick<PointPlan, 'point' | 'base' | 'auditedSince'>,
  as: PointIdentity,
): BackupRecord =>
  newBackupRecord(tenant, {
    ...finishedFields,
    id: as.id,
    projectId: base.projectId,
    type: 'incremental',
    parentBackupId: base.id,
    chainLength: chainLengthOf(base) + 1,
    trigger: 'pitr-base',
    isPartial: point.isPartial || undefined,
    lacks: point.lacks && { ...point.lacks, collections: [...point.lacks.collections] },
    mayLackCollections: point.isUnchecked || undefined,
    absenceUnknown: point.absenceUnknown,
    retentionDays,
    storageDestination: base.storageDestination,
    path: as.path,
    archive: { ...base.archive, backup: as.id },
    encryption: base.encryption,
    readTime: point.moment,
    builtFrom: 'changes',
    auditedSince,
    createdAt: as.createdAt,
    startedAt: as.createdAt,
    createdBy: as.createdBy,
  });

/** Starting a backup: its record, the project's lock, the reaper's note and the task that starts the workflow, all or nothing. */
import { countBackups } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import { after, create, iso, newId, type Write } from '../../platform/index.ts';
import { jobLock, whileConnected } from '../../project/index.ts';
import { holdParent, holdParentOnce } from '../incremental/hold-parent.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import type { StartBackupContext, StartBackupOptions } from '../model/start-options.ts';

/** What every record of a backup says before there is anything to say. */
export const initialBackupFields = {
  documents: 0,
  reads: 0,
  unknownCollections: [],
  size: 0,
  originalSize: 0,
  documentCount: 0,
  collectionCounts: [],
  countVerified: null,
  verification: null,
  verifiedAt: null,
  restoreTestedAt: null,
  lockedUntil: null,
  expiresAt: null,
  completedAt: null,
  deadline: null,
  error: null,
} as const satisfies Partial<BackupRecord>;

/** The record as it begins, and the writes that make it begin; JOB_IN_PROGRESS if the project has a job already. */
export const startBackup = (
  { tenant, project, destination, encryption }: StartBackupContext,
  wish: StartBackupOptions,
  now: Date,
): { backup: BackupRecord; writes: readonly Write[] } => {
  const id = newId('backup', now);
  const maxReads = wish.maxReads ?? project.settings.maxReads;
  const backup: BackupRecord = {
    ...backupKey.backup(tenant, id),
    id,
    projectId: project.id,
    type: wish.type,
    parentBackupId: wish.parentBackupId ?? null,
    chainLength: wish.chainLength ?? 0,
    ...(wish.fullBecause !== undefined && { fullBecause: wish.fullBecause }),
    ...(wish.synthesizedFrom !== undefined && { synthesizedFrom: wish.synthesizedFrom.id }),
    status: 'pending',
    phase: 'queued',
    trigger: wish.trigger,
    scheduleId: wish.scheduleId ?? null,
    collections: wish.collections,
    excludedCollections: wish.excludeCollections,
    includeAuthUsers: wish.includeAuthUsers,
    ...(maxReads !== undefined && { maxReads }),
    ...(wish.retention !== undefined && { retentionDays: wish.retention }),
    ...(wish.retentionPolicy && { retentionPolicy: wish.retentionPolicy }),
    ...(wish.retentionTimezone !== undefined && { retentionTimezone: wish.retentionTimezone }),
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    path: [destination.prefix, project.id, id].filter((part) => part !== '').join('/'),
    archive: { organization: tenant.organizationId, project: project.id, backup: id },
    encryption,
    ...initialBackupFields,
    totalDocuments: null,
    toldPercent: 0,
    readTime: null,
    createdAt: iso(now),
    startedAt: null,
    createdBy: wish.createdBy,
  };
  return {
    backup,
    writes: [
      whileActive(tenant),
      whileConnected(tenant, project.id),
      jobLock(tenant, project.id, { jobId: id, kind: 'backup' }, now),
      countBackups(tenant, destination.id, 1),
      ...(wish.parentBackupId === undefined ? [] : [holdParent(tenant, wish.parentBackupId)]),
      ...(wish.synthesizedFrom ? [holdParentOnce(tenant, wish.synthesizedFrom)] : []),
      create(backup),
      { put: { ...backupKey.running(tenant, id), organizationId: tenant.organizationId, backupId: id, since: iso(now) } },
      { put: { ...backupKey.archive(tenant, id, id), backupId: id } },
      enqueue(tenant, { kind: 'start-backup', backupId: id }, now),
    ],
  };
};

/** When a backup that is completed now has been kept long enough; null if it is kept for ever. A clock that went back meanwhile takes nothing off. */
export const expiryOf = ({ retentionDays, createdAt }: BackupRecord, completedAt: Date): string | null => {
  if (retentionDays === undefined) return null;
  const from = new Date(Math.max(Date.parse(createdAt), completedAt.getTime()));
  return iso(after(from, retentionDays * 24 * 3_600));
};

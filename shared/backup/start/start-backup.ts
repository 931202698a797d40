/** Starts a backup in one transaction: its record, the project's lock, the running item and the task that starts the workflow. */
import { countBackups, objectPath } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { countJobStart } from '../../organization/index.ts';
import { create, iso, newId, type Write } from '../../platform/index.ts';
import { jobLock, projectReadPrice, whileConnected } from '../../project/index.ts';
import { type BackupRecord, backupKey, holdParent, holdParentOnce, newBackupRecord } from '../../stored-backup/index.ts';
import type { StartBackupContext, StartBackupOptions } from '../model/start-options.ts';

/** The new record and its transaction, which fails with JOB_IN_PROGRESS if the project already has a job. */
export const startBackup = (
  { tenant, project, destination, encryption }: StartBackupContext,
  options: StartBackupOptions,
  now: Date,
): { backup: BackupRecord; writes: readonly Write[] } => {
  const id = newId('backup', now);
  const backup = newBackupRecord(tenant, {
    id,
    projectId: project.id,
    projectName: project.name,
    type: options.type,
    parentBackupId: options.parentBackupId,
    chainLength: options.chainLength ?? 0,
    fullBecause: options.fullBecause,
    synthesizedFrom: options.synthesizedFrom?.id,
    trigger: options.trigger,
    scheduleId: options.scheduleId,
    collections: options.collections,
    excludedCollections: options.excludeCollections,
    includeAuthUsers: options.includeAuthUsers,
    maxReads: options.maxReads ?? project.settings.maxReads,
    mustRead: options.source === 'read' || undefined,
    usdPerMillionReads: projectReadPrice(project).usdPerMillion,
    retentionDays: options.retention,
    retentionPolicy: options.retentionPolicy,
    retentionTimezone: options.retentionTimezone,
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    path: objectPath(destination, project.id, id),
    encryption,
    createdAt: iso(now),
    createdBy: options.createdBy,
  });
  return {
    backup,
    writes: [
      options.claim ?? countJobStart(tenant),
      whileConnected(tenant, project.id),
      jobLock(tenant, { projectId: project.id, job: { jobId: id, kind: 'backup' }, now }),
      countBackups(tenant, destination.id, 1),
      ...(options.parentBackupId === undefined ? [] : [holdParent(tenant, options.parentBackupId)]),
      ...(options.synthesizedFrom ? [holdParentOnce(tenant, options.synthesizedFrom)] : []),
      create(backup),
      { put: { ...backupKey.running(tenant, id), organizationId: tenant.organizationId, backupId: id, since: iso(now) } },
      { put: { ...backupKey.archive(tenant, id, id), backupId: id } },
      enqueue(tenant, { kind: 'start-backup', backupId: id }, now),
    ],
  };
};

/** Starts a restore in one transaction: its record, the target's locks, the holds on backups and the task that starts the workflow. */

import { type DestinationRecord, objectPath } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { countJobStart, organizationKey } from '../../organization/index.ts';
import {
  check,
  create,
  iso,
  newId,
  omitUndefined,
  StaleReadError,
  type Tenant,
  update,
  type Write,
} from '../../platform/index.ts';
import { databaseLock, databaseOf, jobLock, notLeaving, type ProjectRecord, whileConnected } from '../../project/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import {
  heldBackups,
  type Journal,
  type RestorePoint,
  type RestoreRecord,
  type RunningRestore,
  restoreKey,
  type ScopeRecord,
} from '../model/record.ts';
import { shownNames } from '../model/restore-view.ts';
import { noWrites } from '../model/shard-totals.ts';
import type { NamedDocuments, StartRestoreOptions } from '../model/start-options.ts';
import { missingCollectionsOf } from '../scope/missing-collections.ts';

export interface StartRestoreContext {
  readonly tenant: Tenant;
  readonly backup: BackupRecord;
  /** Project of the backup; a backup outlives its project. */
  readonly project: Pick<ProjectRecord, 'name'> | undefined;
  readonly target: ProjectRecord;
  /** Destination of the journal. */
  readonly destination: DestinationRecord;
  /** The organization's current encryption. */
  readonly encryption: BackupRecord['encryption'];
  /** Point-in-time restore: what the backup is built from. */
  readonly point?: RestorePoint | undefined;
}

/** Returns the new record and the writes that create it. The commit throws JOB_IN_PROGRESS if the target has a job. */
export const startRestore = (
  context: StartRestoreContext,
  options: StartRestoreOptions,
  now: Date,
): { restore: RestoreRecord; writes: readonly Write[] } => {
  const { tenant, backup, project, target, destination, point } = context;
  const id = newId('restore', now);
  const { documents, maxWritesPerSecond, deleteDigest: allowedDeletes, undoOf = null, leftBy, transform, ...stored } = options;
  const restore: RestoreRecord = {
    ...restoreKey.restore(tenant, id),
    id,
    status: 'pending',
    phase: 'Initializing',
    backupId: backup.id,
    projectId: backup.projectId,
    projectName: project?.name ?? backup.projectId,
    targetProjectId: target.id,
    targetProjectName: target.name,
    backupCreatedAt: backup.createdAt,
    ...stored,
    ...omitUndefined({
      point,
      lacks: point ? undefined : missingCollectionsOf(backup, options),
      documentIds: documents && shownNames(documents.given.map(([text]) => text)),
      maxWritesPerSecond,
      allowedDeletes,
      leftBy,
      transform,
    }),
    undoOf,
    undoneBy: null,
    attempt: 1,
    journal: newJournal(context, now),
    expected: 0,
    checked: 0,
    plan: null,
    notFound: [],
    ...noWrites,
    collectionsRestored: 0,
    failures: [],
    reads: 0,
    toldPercent: 0,
    createdAt: iso(now),
    startedAt: null,
    completedAt: null,
    undoUntil: null,
    error: null,
  };
  return {
    restore,
    writes: [
      ...startWrites(tenant, { restore, target, now }),
      // Fails if the destination is deleted at the same time.
      check(organizationKey.storageDestination(tenant, destination.id), {}, () => new StaleReadError()),
      create(restore),
      ...(documents ? [{ put: scopeItem(tenant, id, documents) }] : []),
    ],
  };
};

/** Writes of every attempt: it locks the target and its database, and holds the backups. */
export const startWrites = (
  tenant: Tenant,
  { restore, target, now }: { readonly restore: RestoreRecord; readonly target: ProjectRecord; readonly now: Date },
): readonly Write[] => {
  const { id, targetProjectId, leftBy, attempt } = restore;
  const job = { jobId: id, kind: 'restore', database: databaseOf(target) } as const;
  const running: RunningRestore = {
    ...restoreKey.running(tenant, id),
    organizationId: tenant.organizationId,
    restoreJobId: id,
    attempt,
    since: iso(now),
  };
  return [
    countJobStart(tenant),
    whileConnected(tenant, targetProjectId),
    jobLock(tenant, { projectId: targetProjectId, job, now }),
    databaseLock(tenant, { database: job.database, job, now }),
    ...heldBackups(restore).map((backupId) => holdBackup(tenant, backupId)),
    ...(leftBy ? [holdBackup(tenant, leftBy.backupId)] : []),
    { put: running },
    enqueue(tenant, { kind: 'start-restore', restoreJobId: id, attempt }, now),
  ];
};

/** While `restoring` is positive, the backup is not deleted and its project does not move. */
export const holdBackup = (tenant: Tenant, backupId: string): Write =>
  update(backupKey.backup(tenant, backupId), {
    add: { restoring: 1 },
    expected: { status: 'completed', ...notLeaving },
    onConditionFailed: () => new StaleReadError(),
  });

/** A new journal; its folder is empty. */
export const newJournal = (
  { target, destination, encryption }: Pick<StartRestoreContext, 'target' | 'destination' | 'encryption'>,
  now: Date,
): Journal => {
  const backupId = newId('backup', now);
  return {
    backupId,
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    path: objectPath(destination, target.id, backupId),
    encryption,
  };
};

const scopeItem = (tenant: Tenant, id: string, { paths, given }: NamedDocuments): ScopeRecord => ({
  ...restoreKey.scope(tenant, id),
  documents: JSON.stringify(paths),
  given: JSON.stringify(given),
});

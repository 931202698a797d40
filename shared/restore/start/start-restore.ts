/** Starting a restore: its record, the target's lock, the hold on the backup and the task that starts the workflow, all or nothing. */
import { type BackupRecord, backupKey } from '../../backup/index.ts';
import type { DestinationRecord } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { organizationKey, whileActive } from '../../organization/index.ts';
import { create, iso, newId, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { databaseLock, databaseOf, jobLock, type ProjectRecord, whileConnected } from '../../project/index.ts';
import {
  heldBackups,
  type Journal,
  type RestorePoint,
  type RestoreRecord,
  type RunningRestore,
  restoreKey,
  type ScopeRecord,
} from '../model/record.ts';
import type { NamedDocuments, StartRestoreOptions } from '../model/start-options.ts';

export interface StartRestoreContext {
  readonly tenant: Tenant;
  readonly backup: BackupRecord;
  /** Of the backup: it outlives its project. */
  readonly project: Pick<ProjectRecord, 'name'> | undefined;
  readonly target: ProjectRecord;
  /** Where what is touched is saved. */
  readonly destination: DestinationRecord;
  /** What wraps keys now. */
  readonly encryption: BackupRecord['encryption'];
  /** What the backup is yet to be made of. */
  readonly point?: RestorePoint | undefined;
}

/** The record as it begins, and the writes that make it begin; JOB_IN_PROGRESS if the target has a job already. */
export const startRestore = (
  place: StartRestoreContext,
  wish: StartRestoreOptions,
  now: Date,
): { restore: RestoreRecord; writes: readonly Write[] } => {
  const { tenant, backup, project, target, destination, point } = place;
  const id = newId('restore', now);
  const { documents, maxWritesPerSecond, undoOf = null, leftBy, ...asked } = wish;
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
    ...(point && { point }),
    ...asked,
    ...(documents && { documentIds: shownOf(documents) }),
    ...(maxWritesPerSecond !== undefined && { maxWritesPerSecond }),
    undoOf,
    ...(leftBy && { leftBy }),
    undoneBy: null,
    attempt: 1,
    journal: newJournal(place, now),
    expected: 0,
    checked: 0,
    plan: null,
    notFound: [],
    written: 0,
    deleted: 0,
    raced: 0,
    failed: 0,
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
  const scope = documents && scopeItem(tenant, id, documents);
  return {
    restore,
    writes: [
      ...startWrites(tenant, restore, target, now),
      whileThere(tenant, destination),
      create(restore),
      ...(scope ? [scope] : []),
    ],
  };
};

/** What every attempt begins with: nobody else at the target, and nobody who takes the backup away. */
export const startWrites = (tenant: Tenant, restore: RestoreRecord, target: ProjectRecord, now: Date): readonly Write[] => {
  const { id, targetProjectId, leftBy, attempt } = restore;
  const job = { jobId: id, kind: 'restore', database: databaseOf(target) } as const;
  const note: RunningRestore = {
    ...restoreKey.running(tenant, id),
    organizationId: tenant.organizationId,
    restoreJobId: id,
    attempt,
    since: iso(now),
  };
  return [
    whileActive(tenant),
    whileConnected(tenant, targetProjectId),
    jobLock(tenant, targetProjectId, job, now),
    databaseLock(tenant, job.database, job, now),
    ...heldBackups(restore).map((backupId) => holdBackup(tenant, backupId)),
    ...(leftBy ? [holdBackup(tenant, leftBy.backupId)] : []),
    { put: note },
    enqueue(tenant, { kind: 'start-restore', restoreJobId: id, attempt }, now),
  ];
};

/** While `restoring` is not zero nobody deletes the backup, and its project stays where it is. */
export const holdBackup = (tenant: Tenant, backupId: string): Write => ({
  update: backupKey.backup(tenant, backupId),
  expression: 'ADD restoring :one',
  condition: '#status = :completed AND attribute_not_exists(leaving)',
  names: { '#status': 'status' },
  values: { ':one': 1, ':completed': 'completed' },
  onConditionFailed: () => new StaleReadError(),
});

/** A destination that is being removed is given nothing to keep. */
const whileThere = (tenant: Tenant, { id }: DestinationRecord): Write => ({
  check: organizationKey.storageDestination(tenant, id),
  condition: 'attribute_exists(pk)',
  onConditionFailed: () => new StaleReadError(),
});

/** A place for what will be touched; nothing lies there yet. */
export const newJournal = (
  { target, destination, encryption }: Pick<StartRestoreContext, 'target' | 'destination' | 'encryption'>,
  now: Date,
): Journal => {
  const backupId = newId('backup', now);
  return {
    backupId,
    storageDestination: { id: destination.id, name: destination.name, type: destination.type },
    path: [destination.prefix, target.id, backupId].filter((part) => part !== '').join('/'),
    encryption,
  };
};

const scopeItem = (tenant: Tenant, id: string, { paths, given }: NamedDocuments): Write => ({
  put: { ...restoreKey.scope(tenant, id), documents: JSON.stringify(paths), given: JSON.stringify(given) } satisfies ScopeRecord,
});

/** What the record shows of them: all of them may be more than a page of the history can carry. */
const shownOf = ({ given }: NamedDocuments): readonly string[] => {
  let bytes = 0;
  return given
    .slice(0, shownMax)
    .map(([text]) => text)
    .filter((text) => {
      bytes += Buffer.byteLength(text);
      return bytes <= shownBytesMax;
    });
};
const shownMax = 100;
const shownBytesMax = 10_000;

/** What follows the end of a restore: its target is free, and nothing stays that neither an undo nor a resume needs. */
import { deleteArchiveObjects } from '../../backup/index.ts';
import { undoSeconds } from '../../contract/limits.ts';

import {
  after,
  commit,
  get,
  isConflict,
  iso,
  log,
  query,
  type Tenant,
  transactionMax,
  type Write,
} from '../../platform/index.ts';
import { waitForWriters } from '../model/active-writers.ts';
import { type Journal, type RestoreRecord, restoreKey, workPartition } from '../model/record.ts';
import { loadEndContext, type RestoreEndContext, releaseHoldsWrites } from '../model/release-holds.ts';
import { deleteDiscardedAttempts } from '../point-in-time/materialize-attempts.ts';
import type { RestoreDeps } from '../restore-deps.ts';

/** A call that resumes it in time may commit a little later. */
const marginSeconds = 3_600;

type CleaningEngine = Pick<RestoreDeps, 'openStore' | 'clock' | 'sleep'>;

export interface CleanUpOptions {
  /** Whose end it is, where that is known. */
  readonly attempt?: number | undefined;
  /** How long writers that are still at it are waited for. */
  readonly waitSeconds?: number;
  /** Objects that cannot be removed stay in the bucket. */
  readonly isGivenUp?: boolean;
}

/**
 * Only for one whose workflow has stopped: it frees the target of a restore that did not free it with its end, if nobody writes
 * any more; else the reaper comes again. The reaper's note goes last, or says when there is something to do again: as long as it
 * is there, the reaper cleans. Each step is conditioned on the attempt that has ended, so one that is resumed meanwhile loses
 * nothing. Rejects if trying again may help.
 */
export const cleanUpRestore = async (
  tenant: Tenant,
  restoreJobId: string,
  engine: CleaningEngine,
  cleaning: CleanUpOptions = {},
): Promise<void> => {
  const around = await loadEndContext(tenant, restoreJobId);
  if (!around) return forget(tenant, restoreJobId);
  const { restore } = around;
  if (isUnderWay(restore) || restore.attempt !== (cleaning.attempt ?? restore.attempt)) return;
  try {
    if (await isFree(tenant, around, engine, cleaning)) await clean(tenant, restore, engine, cleaning);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const now = await get(restoreKey.restore(tenant, restoreJobId));
    // It was resumed: whoever ends the next attempt cleans up after this one, too.
    if (now?.attempt !== around.restore.attempt) return;
    throw error;
  }
};

const isUnderWay = ({ status }: RestoreRecord): boolean => status === 'pending' || status === 'running';

/** Nobody writes beside another. */
const isFree = async (
  tenant: Tenant,
  around: RestoreEndContext,
  { clock, sleep }: CleaningEngine,
  { waitSeconds: seconds }: CleanUpOptions,
): Promise<boolean> => {
  const { restore, job } = around;
  if (job?.jobId !== restore.id) return true;
  if (!(await waitForWriters(tenant, restore.id, { now: () => clock.now(), sleep, seconds }))) {
    log.warn('the target stays locked: somebody may still write to it', { restoreJobId: restore.id });
    return false;
  }
  await commit([checkEnded(tenant, restore), ...releaseHoldsWrites(tenant, around)]);
  return true;
};

const clean = async (
  tenant: Tenant,
  restore: RestoreRecord,
  { openStore, clock }: CleaningEngine,
  { isGivenUp }: CleanUpOptions,
): Promise<void> => {
  const { id, attempt } = restore;
  const resumable = resumableUntil(restore);
  const isOver = resumable === undefined || resumable <= iso(clock.now());
  const journals = uselessOf(restore, isOver);
  if (isGivenUp && journals.length > 0) log.error('what a restore has saved stays in its destination', { restoreJobId: id });
  else for (const journal of journals) await deleteArchiveObjects(tenant, journalLocation(tenant, restore, journal), openStore);
  if (!isGivenUp) await deleteDiscardedAttempts(tenant, restore, openStore);
  if (isOver) await deleteWorkItems(tenant, restore);
  const note = await get(restoreKey.running(tenant, id));
  if (note?.attempt !== attempt) return;
  await commit([
    restore.givenUp === undefined ? checkEnded(tenant, restore) : forgetJournals(tenant, restore),
    isOver
      ? { remove: restoreKey.running(tenant, id), ...ofAttempt(attempt) }
      : {
          update: restoreKey.running(tenant, id),
          expression: 'SET dueAt = :dueAt',
          condition: ofAttempt(attempt).condition,
          values: { ...ofAttempt(attempt).values, ':dueAt': resumable },
        },
  ]);
};

/** Until then what a resume goes on with is kept; undefined for one that cannot be resumed. */
export const resumableUntil = (restore: RestoreRecord): string | undefined => {
  const { status, completedAt, dryRun, undoneBy, undoBegunBy, isCarried } = restore;
  const isEnd = (status === 'failed' || status === 'cancelled') && !dryRun;
  if (!isEnd || completedAt === null || undoneBy !== null || undoBegunBy || isCarried) return undefined;
  return iso(after(new Date(completedAt), undoSeconds + marginSeconds));
};

/** A sealed journal that became a backup is removed as backups are; one that did not is needed as long as it may be gone on with. */
const uselessOf = ({ journal, givenUp = [], sealedAt, safetyBackupId }: RestoreRecord, isOver: boolean): readonly Journal[] => {
  const isUseless = sealedAt === undefined || (safetyBackupId === undefined && isOver);
  return isUseless ? [...givenUp, journal] : givenUp;
};

/** Its objects, as those of the backup that it did not become. */
export const journalLocation = (
  { organizationId }: Tenant,
  { targetProjectId }: RestoreRecord,
  { backupId, path, storageDestination }: Journal,
) => ({
  id: backupId,
  archive: { organization: organizationId, project: targetProjectId, backup: backupId },
  path,
  storageDestination,
});

export const checkEnded = (tenant: Tenant, { id, status, attempt }: RestoreRecord): Write => ({
  check: restoreKey.restore(tenant, id),
  condition: '#status = :status AND attempt = :attempt',
  names: { '#status': 'status' },
  values: { ':status': status, ':attempt': attempt },
});

const forgetJournals = (tenant: Tenant, { id, status, attempt }: RestoreRecord): Write => ({
  update: restoreKey.restore(tenant, id),
  expression: 'REMOVE givenUp',
  condition: '#status = :status AND attempt = :attempt',
  names: { '#status': 'status' },
  values: { ':status': status, ':attempt': attempt },
});

const ofAttempt = (attempt: number) => ({ condition: 'attempt = :attempt', values: { ':attempt': attempt } });

/** Every sort key of ours begins with a letter. */
const notesOf = (tenant: Tenant, id: string) => ({ pk: workPartition(tenant, id), prefix: '', from: 'A' });

export const deleteWorkItems = async (tenant: Tenant, restore: RestoreRecord): Promise<void> => {
  for (;;) {
    const { items } = await query({ ...notesOf(tenant, restore.id), limit: transactionMax - 1 });
    if (items.length === 0) return;
    await commit([checkEnded(tenant, restore), ...items.map(({ pk, sk }) => ({ remove: { pk, sk } }))]);
  }
};

/** Of a restore whose organization was purged. */
const forget = async (tenant: Tenant, id: string): Promise<void> => {
  for (;;) {
    const { items } = await query({ ...notesOf(tenant, id), limit: transactionMax });
    if (items.length === 0) break;
    await commit(items.map(({ pk, sk }) => ({ remove: { pk, sk } })));
  }
  await commit([{ remove: restoreKey.running(tenant, id) }]);
};

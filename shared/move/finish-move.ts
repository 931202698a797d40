/** The end of a move, on both sides. Every part is idempotent and may run concurrently. */
import { type BackupRecord, backupKey } from '../backup/index.ts';
import { idempotencySeconds } from '../contract/limits.ts';
import { after, commit, epochSeconds, getAll, isConflict, StaleReadError, set, type Write } from '../platform/index.ts';
import { jobRelease, projectKey } from '../project/index.ts';
import { isPastDeadline, leavingBackups, linksIn, type MoveContext, type MoveDeadline } from './move-context.ts';
import { moveRestores } from './move-restores.ts';
import { moveSchedules } from './move-schedules.ts';
import { transactionBatches } from './transaction-batches.ts';

/** After the switch: deletes the originals and makes the copies visible. False if the deadline passed first. */
export const finishMove = async (move: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const writesOf = async (batch: readonly BackupRecord[]): Promise<readonly Write[]> => {
    // A copy is missing only if the target organization was purged meanwhile.
    const copies = await getAll(batch.map(({ id }) => backupKey.backup(move.to, id)));
    const links = await linksIn(move.from, batch);
    return batch.flatMap((backup, n) => [
      removeOriginal(move, backup),
      ...(links[n] ? [markMoved(move, backup)] : []),
      ...(copies[n] ? [set(backupKey.backup(move.to, backup.id), { arriving: undefined })] : []),
      ...(copies[n] && links[n] ? [ownArchive(move, backup)] : []),
    ]);
  };
  // Schedules first, so that due runs are not delayed.
  const isMoved = (await moveSchedules(move, time)) && (await forEachLeaving(move, time, writesOf));
  if (!isMoved || !(await moveRestores(move, time))) return false;
  const ttl = epochSeconds(after(time.clock.now(), idempotencySeconds));
  const marker = { ...projectKey.moved(move.from, move.projectId), to: move.to.organizationId, ttl };
  return tryCommit([...removeMoveRecords(move), { put: marker }]);
};

/** Before the switch: deletes the copies and releases the originals and the project. False if the deadline passed first. */
export const revertMove = async (move: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const { from, to, id, projectId } = move;
  // From here on nothing more is copied, and the project cannot switch.
  await commit([
    set(
      projectKey.move(from, projectId),
      { isEnding: true },
      { expected: { id, isHere: true }, onConditionFailed: () => new StaleReadError() },
    ),
  ]);
  const writesOf = async (batch: readonly BackupRecord[]): Promise<readonly Write[]> => {
    const links = await linksIn(to, batch);
    return batch.flatMap(({ id: backupId, archive, pk, sk }, n) => [
      { remove: backupKey.backup(to, backupId), condition: 'attribute_not_exists(pk) OR arriving = :id', values: { ':id': id } },
      // Links of an earlier move are kept.
      ...(links[n]?.movedTo === undefined ? [{ remove: backupKey.archive(to, archive.backup, backupId) }] : []),
      set({ pk, sk }, { leaving: undefined }),
    ]);
  };
  return (await forEachLeaving(move, time, writesOf)) && tryCommit([...removeMoveRecords(move), jobRelease(from, projectId, id)]);
};

const forEachLeaving = async (
  move: MoveContext,
  time: MoveDeadline,
  writesOf: (batch: readonly BackupRecord[]) => Promise<readonly Write[]>,
): Promise<boolean> => {
  for await (const batch of transactionBatches(leavingBackups(move))) {
    if (isPastDeadline(time)) return false;
    // A conflict means that a concurrent run or the target organization changed an item: read the backups again.
    if (!(await tryCommit(await writesOf(batch)))) return forEachLeaving(move, time, writesOf);
  }
  return true;
};

/** False if a condition failed because of a concurrent change. */
const tryCommit = async (writes: readonly Write[]): Promise<boolean> => {
  try {
    await commit(writes);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
};

const removeOriginal = ({ id }: MoveContext, { pk, sk }: BackupRecord): Write => ({
  remove: { pk, sk },
  condition: 'attribute_not_exists(pk) OR leaving = :id',
  values: { ':id': id },
});

/**
 * The objects still name this organization as their owner. `movedTo` keeps them from being imported here again and from being
 * deleted with a backup that shares them.
 */
const markMoved = ({ from, to }: MoveContext, { id, archive, path }: BackupRecord): Write => ({
  put: { ...backupKey.archive(from, archive.backup, id), backupId: id, path, movedTo: to.organizationId },
});

/** Overrides `movedTo` of an earlier move in the other direction. */
const ownArchive = ({ to }: MoveContext, { id, archive }: BackupRecord): Write => ({
  put: { ...backupKey.archive(to, archive.backup, id), backupId: id },
});

const removeMoveRecords = ({ id, projectId, from, to }: MoveContext): readonly Write[] =>
  [to, from].map((side) => ({
    remove: projectKey.move(side, projectId),
    condition: 'attribute_not_exists(pk) OR id = :id',
    values: { ':id': id },
  }));

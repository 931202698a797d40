/** The end of a move, on both sides. Every part is idempotent and may run concurrently. */

import { idempotencySeconds } from '../contract/limits.ts';
import { enqueue } from '../event/index.ts';
import { absentOr, after, commit, epochSeconds, getAll, isConflict, StaleReadError, set, type Write } from '../platform/index.ts';
import { jobRelease, projectKey } from '../project/index.ts';
import { moveRestore, restoresInto } from '../restore/index.ts';
import { moveSchedule, schedulesOf } from '../schedule/index.ts';
import { type BackupRecord, backupKey, rewrapArrived } from '../stored-backup/index.ts';
import { assessAfterMove } from './copy-erasures.ts';
import { isPastDeadline, leavingBackups, linksIn, type MoveContext, type MoveDeadline } from './move-context.ts';
import { removeHistories } from './move-histories.ts';
import { transactionBatches } from './transaction-batches.ts';

/** After the switch: deletes the originals and makes the copies visible. False if the deadline passed first. */
export const finishMove = async (move: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const { from, to, projectId } = move;
  const { clock } = time;
  const writesOf = async (batch: readonly BackupRecord[]): Promise<readonly Write[]> => {
    // A copy is missing only if the target organization was purged meanwhile.
    const copies = await getAll(batch.map(({ id }) => backupKey.backup(to, id)));
    const links = await linksIn(from, batch);
    return batch.flatMap((backup, n) => [
      { remove: { pk: backup.pk, sk: backup.sk }, ...absentOr({ leaving: move.id }) },
      ...(links[n] ? [markMoved(move, backup)] : []),
      ...(copies[n] ? [set(backupKey.backup(to, backup.id), { arriving: undefined })] : []),
      ...(copies[n] && links[n] ? [ownArchive(move, backup)] : []),
    ]);
  };
  // Schedules first, so that due runs are not delayed.
  const isMoved =
    (await forEach(
      time,
      () => schedulesOf(from, { projectId }),
      (one) => moveSchedule(from, { to, schedule: one, now: clock.now() }),
    )) &&
    (await forEachLeaving(move, time, writesOf)) &&
    (await forEach(
      time,
      () => restoresInto(from, projectId),
      (one) => moveRestore(from, { to, restore: one, now: clock.now() }),
    ));
  if (isMoved) await removeHistories(move, from);
  const ttl = epochSeconds(after(clock.now(), idempotencySeconds));
  const marker = { ...projectKey.moved(from, projectId), to: to.organizationId, ttl };
  if (!isMoved) return false;
  const later = [
    ...(await assessAfterMove(to, projectId, clock.now())),
    ...(await rewrapArrived(to, clock.now())),
    // Restore tests stay where they are: those of the organization that the project left pause, those of an earlier stay run again.
    ...[from, to].map((side) => enqueue(side, { kind: 'sync-schedules', projectId }, clock.now())),
  ];
  return tryCommit([...removeMoveRecords(move), { put: marker }, ...later]);
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
      { remove: backupKey.backup(to, backupId), ...absentOr({ arriving: id }) },
      // Links of an earlier move are kept.
      ...(links[n]?.movedTo === undefined ? [{ remove: backupKey.archive(to, archive.backup, backupId) }] : []),
      set({ pk, sk }, { leaving: undefined }),
    ]);
  };
  if (!(await forEachLeaving(move, time, writesOf))) return false;
  await removeHistories(move, to);
  const now = time.clock.now();
  // A rewrap of a passphrase that was set meanwhile has left out the backups.
  const later = [...(await assessAfterMove(from, projectId, now)), ...(await rewrapArrived(from, now))];
  return tryCommit([...removeMoveRecords(move), jobRelease(from, projectId, id), ...later]);
};

const forEachLeaving = (
  move: MoveContext,
  time: MoveDeadline,
  writesOf: (batch: readonly BackupRecord[]) => Promise<readonly Write[]>,
): Promise<boolean> =>
  forEach(
    time,
    () => transactionBatches(leavingBackups(move)),
    async (batch) => commit(await writesOf(batch)),
  );

/** Moves records one by one. False if the deadline passed first. */
const forEach = async <T>(
  time: MoveDeadline,
  records: () => AsyncIterable<T>,
  work: (record: T) => Promise<unknown>,
): Promise<boolean> => {
  try {
    for await (const record of records()) {
      if (isPastDeadline(time)) return false;
      await work(record);
    }
    return true;
  } catch (error) {
    if (!isConflict(error)) throw error;
    // A concurrent run or the target organization changed an item: read the remaining records again.
    return forEach(time, records, work);
  }
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
  [to, from].map((side) => ({ remove: projectKey.move(side, projectId), ...absentOr({ id }) }));

/** The end of a move: what is left of it is put in order, on both sides. Every part may run again, and beside another run. */
import { type BackupRecord, backupKey } from '../backup/index.ts';
import { ApiError } from '../contract/errors.ts';
import { idempotencySeconds } from '../contract/limits.ts';
import { after, commit, epochSeconds, getAll, StaleReadError, set, type Write } from '../platform/index.ts';
import { jobRelease, projectKey } from '../project/index.ts';
import { isPastDeadline, leavingBackups, linksIn, type MoveContext, type MoveDeadline } from './move-context.ts';
import { moveRestores } from './move-restores.ts';
import { moveSchedules } from './move-schedules.ts';
import { transactionBatches } from './transaction-batches.ts';

/** After the project has crossed: the originals go, the copies are backups like any other. False if the time was over first. */
export const finishMove = async (route: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const writesOf = async (batch: readonly BackupRecord[]): Promise<readonly Write[]> => {
    // Gone only if the other organization was purged meanwhile.
    const copies = await getAll(batch.map(({ id }) => backupKey.backup(route.to, id)));
    const links = await linksIn(route.from, batch);
    return batch.flatMap((backup, n) => [
      removeOriginal(route, backup),
      ...(links[n] ? [markMoved(route, backup)] : []),
      ...(copies[n] ? [set(backupKey.backup(route.to, backup.id), { arriving: undefined })] : []),
      ...(copies[n] && links[n] ? [ownArchive(route, backup)] : []),
    ]);
  };
  // Schedules first: what is due must not wait.
  const isCarried = (await moveSchedules(route, time)) && (await forEachLeaving(route, time, writesOf));
  if (!isCarried || !(await moveRestores(route, time))) return false;
  const ttl = epochSeconds(after(time.clock.now(), idempotencySeconds));
  const marker = { ...projectKey.moved(route.from, route.projectId), to: route.to.organizationId, ttl };
  return tryCommit([...removeMoveRecords(route), { put: marker }]);
};

/** Before it has: the copies go, the originals are let go of, the project is free. False if the time was over first. */
export const revertMove = async (route: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const { from, to, id, projectId } = route;
  // From here on nothing more is copied, and the project cannot cross.
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
      // What an earlier move has left there holds as before.
      ...(links[n]?.movedTo === undefined ? [{ remove: backupKey.archive(to, archive.backup, backupId) }] : []),
      set({ pk, sk }, { leaving: undefined }),
    ]);
  };
  return (
    (await forEachLeaving(route, time, writesOf)) && tryCommit([...removeMoveRecords(route), jobRelease(from, projectId, id)])
  );
};

const forEachLeaving = async (
  route: MoveContext,
  time: MoveDeadline,
  writesOf: (batch: readonly BackupRecord[]) => Promise<readonly Write[]>,
): Promise<boolean> => {
  for await (const batch of transactionBatches(leavingBackups(route))) {
    if (isPastDeadline(time)) return false;
    // What fails here was changed by another run at the same work, or by someone in the other organization: it is looked at anew.
    if (!(await tryCommit(await writesOf(batch)))) return forEachLeaving(route, time, writesOf);
  }
  return true;
};

/** Whether the writes were made; false if something they depend on was changed at the same moment. */
const tryCommit = async (writes: readonly Write[]): Promise<boolean> => {
  try {
    await commit(writes);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CONFLICT') return false;
    throw error;
  }
};

const removeOriginal = ({ id }: MoveContext, { pk, sk }: BackupRecord): Write => ({
  remove: { pk, sk },
  condition: 'attribute_not_exists(pk) OR leaving = :id',
  values: { ':id': id },
});

/**
 * The objects still say that they are this side's, whose bucket it may be: the note that they are the other's keeps them from
 * being imported here again, and from being removed with whatever shares them.
 */
const markMoved = ({ from, to }: MoveContext, { id, archive, path }: BackupRecord): Write => ({
  put: { ...backupKey.archive(from, archive.backup, id), backupId: id, path, movedTo: to.organizationId },
});

/** A note of an earlier move the other way is over. */
const ownArchive = ({ to }: MoveContext, { id, archive }: BackupRecord): Write => ({
  put: { ...backupKey.archive(to, archive.backup, id), backupId: id },
});

const removeMoveRecords = ({ id, projectId, from, to }: MoveContext): readonly Write[] =>
  [to, from].map((side) => ({
    remove: projectKey.move(side, projectId),
    condition: 'attribute_not_exists(pk) OR id = :id',
    values: { ':id': id },
  }));

/** Copies a project's backups to the other side, where nobody sees them yet, and takes hold of the originals. */
import { type BackupRecord, backupKey } from '../backup/index.ts';
import { commit, create, StaleReadError, type Write } from '../platform/index.ts';
import { isMovable, refuseIfHeld } from './check-movable.ts';
import {
  archivesStaying,
  backupsIn,
  isPastDeadline,
  linksIn,
  type MoveContext,
  type MoveDeadline,
  unchanged,
  whileMoveActive,
} from './move-context.ts';
import { transactionBatches } from './transaction-batches.ts';

/** False if the time was over first: the next call goes on behind what is copied. */
export const copyBackups = async (route: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const staying = await archivesStaying(route);
  for await (const batch of transactionBatches(notCopied(route))) {
    if (isPastDeadline(time)) return false;
    batch.forEach(refuseIfHeld);
    const [shares, known] = await Promise.all([linksIn(route.from, batch), linksIn(route.to, batch)]);
    const writes = batch.flatMap((backup, n) => [
      markLeaving(route, backup),
      create({ ...backup, ...backupKey.backup(route.to, backup.id), arriving: route.id }, () => new StaleReadError()),
      ...(shares[n] ? linkWrites(route, backup, known[n] !== undefined, staying.get(backup.archive.backup)) : []),
    ]);
    await commit([whileMoveActive(route), ...writes]);
  }
  return true;
};

async function* notCopied({ id, projectId, from }: MoveContext): AsyncGenerator<BackupRecord> {
  for await (const backup of backupsIn(from)) if (isMovable(backup, projectId) && backup.leaving !== id) yield backup;
}

/** From here on nobody changes the original, so the copy is what it was. */
const markLeaving = ({ id }: MoveContext, { pk, sk, ...backup }: BackupRecord): Write => {
  const was = unchanged(backup);
  return {
    update: { pk, sk },
    expression: 'SET leaving = :leaving',
    ...was,
    values: { ...was.values, ':leaving': id },
    onConditionFailed: () => new StaleReadError(),
  };
};

/**
 * Where someone who stays needs the same objects, the other side knows of one: then neither side removes them. What the other
 * side knows from an earlier move stays as it is until the project is there.
 */
const linkWrites = (
  { to }: MoveContext,
  { id, archive }: BackupRecord,
  isKnown: boolean,
  stays: string | undefined,
): readonly Write[] =>
  [...(isKnown ? [] : [id]), ...(stays === undefined ? [] : [stays])].map((backupId) => ({
    put: { ...backupKey.archive(to, archive.backup, backupId), backupId },
  }));

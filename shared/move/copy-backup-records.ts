import { commit, create, StaleReadError, type Write } from '../platform/index.ts';
import { type BackupRecord, backupKey, readEncryption } from '../stored-backup/index.ts';
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

/**
 * Copies a project's backups to the target organization, where they stay hidden, and marks the originals as leaving. False if the
 * deadline passed first: the next call continues.
 */
export const copyBackupRecords = async (move: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const [staying, chosen] = await Promise.all([archivesStaying(move), readEncryption(move.from)]);
  for await (const batch of transactionBatches(notCopied(move))) {
    if (isPastDeadline(time)) return false;
    for (const backup of batch) refuseIfHeld(backup, chosen);
    const [shares, known] = await Promise.all([linksIn(move.from, batch), linksIn(move.to, batch)]);
    const writes = batch.flatMap((backup, n) => [
      markLeaving(move, backup),
      create({ ...backup, ...backupKey.backup(move.to, backup.id), arriving: move.id }, () => new StaleReadError()),
      ...(shares[n]
        ? linkWrites(move, { backup, isKnown: known[n] !== undefined, stays: staying.get(backup.archive.backup) })
        : []),
    ]);
    await commit([whileMoveActive(move), ...writes]);
  }
  return true;
};

async function* notCopied({ id, projectId, from }: MoveContext): AsyncGenerator<BackupRecord> {
  for await (const backup of backupsIn(from)) if (isMovable(backup, projectId) && backup.leaving !== id) yield backup;
}

/** A leaving backup cannot be changed, so the copy stays identical. */
const markLeaving = ({ id }: MoveContext, backup: BackupRecord): Write => {
  const { values, ...was } = unchanged(backup);
  const update = { update: { pk: backup.pk, sk: backup.sk }, expression: 'SET leaving = :leaving' };
  return { ...update, ...was, values: { ...values, ':leaving': id }, onConditionFailed: () => new StaleReadError() };
};

/**
 * Links for objects that a backup that stays needs, too: they keep either organization from deleting the objects. Links of an
 * earlier move are kept until the project has switched.
 */
const linkWrites = (
  { to }: MoveContext,
  {
    backup: { id, archive },
    isKnown,
    stays,
  }: { readonly backup: BackupRecord; readonly isKnown: boolean; readonly stays: string | undefined },
): readonly Write[] =>
  [...(isKnown ? [] : [id]), ...(stays === undefined ? [] : [stays])].map((backupId) => ({
    put: { ...backupKey.archive(to, archive.backup, backupId), backupId },
  }));

/** What it means that an earlier backup, which a new one is built upon, cannot be read. */
import { ArchiveError } from '../../archive/index.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { bestEffort, commit, log, set } from '../../platform/index.ts';
import { auditOf } from '../model/backup-audit.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { findOwner } from '../model/shared-archives.ts';
import type { ParentLink } from './parent-archive.ts';

/** That something cannot be read however often it is tried. */
export interface Misread {
  readonly object: { readonly backup: string; readonly name: string } | undefined;
  readonly reason: string;
  readonly message: string;
  /** False if what lies there may be whole, and only its key or its store is not to be had. */
  readonly isDamage: boolean;
}

/** Undefined if another try may read it. */
export const misreadOf = (error: unknown): Misread | undefined => {
  if (error instanceof ArchiveError && error.code !== 'self-check-failed')
    return { object: error.object, reason: error.code, message: error.message, isDamage: true };
  if (error instanceof StorageError && !error.isTransient)
    return { object: undefined, reason: error.code, message: error.message, isDamage: error.code === 'missing' && !error.bucket };
  if (error instanceof JobFailure && error.code === 'KEY_UNAVAILABLE')
    return { object: undefined, reason: error.code, message: error.message, isDamage: false };
  return undefined;
};

const damagedNow = { damagedDepth: 'full', verifiedAt: null } as const satisfies Partial<BackupRecord>;

/** From now on both the backup that it was found in and the one whose object it is say so: no other is built upon them. */
export const noteDamage = async ({ tenant, earlier, childId, engine }: ParentLink, misread: Misread): Promise<void> => {
  const { object, message, reason, isDamage } = misread;
  log.warn('a backup that another is built upon cannot be read', { backupId: earlier.id, childId, reason });
  if (!isDamage) return;
  const note = async (): Promise<void> => {
    const owner = object && object.backup !== earlier.archive.backup ? await findOwner(tenant, object.backup) : undefined;
    for (const damaged of [earlier, ...(owner ? [owner] : [])]) {
      await commit([
        set(backupKey.backup(tenant, damaged.id), damagedNow, { expected: { status: 'completed', leaving: undefined } }),
        auditOf(
          tenant,
          'backup.found_damaged',
          damaged,
          { object: object?.name ?? null, message, by: childId },
          engine.clock.now(),
        ),
      ]);
    }
  };
  await bestEffort('note that a backup is damaged', note());
};

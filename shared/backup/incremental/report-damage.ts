/** What it means that an earlier backup, which a new one is built upon, cannot be read. */
import { ArchiveError } from '../../archive/index.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { bestEffort, commit, log, set, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { findOwner } from '../model/shared-archives.ts';

/** A parent that a child backup is made from. */
export interface ParentLink {
  readonly tenant: Tenant;
  readonly parent: BackupRecord;
  readonly childId: string;
  readonly deps: Pick<BackupDeps, 'clock'>;
}

/** That something cannot be read however often it is tried. */
export interface ReadProblem {
  readonly object: { readonly backup: string; readonly name: string } | undefined;
  readonly reason: string;
  readonly message: string;
  /** False if what lies there may be whole, and only its key or its store is not to be had. */
  readonly isDamage: boolean;
}

/** Undefined if another try may read it. */
export const classifyReadError = (error: unknown): ReadProblem | undefined => {
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
export const reportDamage = async ({ tenant, parent, childId, deps }: ParentLink, misread: ReadProblem): Promise<void> => {
  const { object, message, reason, isDamage } = misread;
  log.warn('a backup that another is built upon cannot be read', { backupId: parent.id, childId, reason });
  if (!isDamage) return;
  const note = async (): Promise<void> => {
    const owner = object && object.backup !== parent.archive.backup ? await findOwner(tenant, object.backup) : undefined;
    for (const damaged of [parent, ...(owner ? [owner] : [])]) {
      await commit([
        set(backupKey.backup(tenant, damaged.id), damagedNow, { expected: { status: 'completed', leaving: undefined } }),
        backupAudit(
          tenant,
          'backup.found_damaged',
          damaged,
          { object: object?.name ?? null, message, by: childId },
          deps.clock.now(),
        ),
      ]);
    }
  };
  await bestEffort('note that a backup is damaged', note());
};

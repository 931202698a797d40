/** Classifies and records that the parent of a new backup cannot be read. */
import { ArchiveError } from '../../archive/index.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { bestEffort, log, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { markDamaged } from '../model/mark-damaged.ts';
import type { BackupRecord } from '../model/record.ts';
import { findOwner } from '../model/shared-archives.ts';

export interface ParentLink {
  readonly tenant: Tenant;
  readonly parent: BackupRecord;
  readonly childId: string;
  readonly deps: Pick<BackupDeps, 'clock'>;
}

/** A permanent read error: retries do not help. */
export interface ReadProblem {
  readonly object: { readonly backup: string; readonly name: string } | undefined;
  readonly reason: string;
  readonly message: string;
  /** False if the objects may be intact, and only the key or the store is unavailable. */
  readonly isDamage: boolean;
}

/** Undefined if a retry may succeed. */
export const classifyReadError = (error: unknown): ReadProblem | undefined => {
  if (error instanceof ArchiveError && error.code !== 'self-check-failed')
    return { object: error.object, reason: error.code, message: error.message, isDamage: true };
  if (error instanceof StorageError && !error.isTransient)
    return { object: undefined, reason: error.code, message: error.message, isDamage: error.code === 'missing' && !error.bucket };
  if (error instanceof JobFailure && error.code === 'KEY_UNAVAILABLE')
    return { object: undefined, reason: error.code, message: error.message, isDamage: false };
  return undefined;
};

/** Marks the parent and the owner of the damaged object, so that no other backup is made from them. */
export const reportDamage = async ({ tenant, parent, childId, deps }: ParentLink, problem: ReadProblem): Promise<void> => {
  const { object, message, reason, isDamage } = problem;
  log.warn('the parent of a backup cannot be read', { backupId: parent.id, childId, reason });
  if (!isDamage) return;
  const record = async (): Promise<void> => {
    const owner = object && object.backup !== parent.archive.backup ? await findOwner(tenant, object.backup) : undefined;
    const details = { object: object?.name ?? null, message, by: childId };
    for (const backup of [parent, ...(owner ? [owner] : [])])
      await markDamaged(tenant, backup, { depth: 'full', details, now: deps.clock.now() });
  };
  await bestEffort('mark a backup as damaged', record());
};

/** Classifies and records that a backup cannot be read. */
import { ArchiveError } from '../../archive/index.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { bestEffort, log, type Tenant } from '../../platform/index.ts';
import { markDamaged } from '../model/mark-damaged.ts';
import type { BackupRecord } from '../model/record.ts';
import { ownerOf } from './open-archive.ts';

interface DamagedBackup {
  readonly tenant: Tenant;
  readonly backup: BackupRecord;
  /** The job that read it. */
  readonly by: string;
  readonly now: Date;
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

/** Marks the backup and the owner of the damaged object, so that no other backup is made from them. */
export const reportDamage = async ({ tenant, backup, by, now }: DamagedBackup, problem: ReadProblem): Promise<void> => {
  const { object, message, reason, isDamage } = problem;
  log.warn('a backup cannot be read', { backupId: backup.id, by, reason });
  if (!isDamage) return;
  const record = async (): Promise<void> => {
    const owner = object && object.backup !== backup.archive.backup ? await ownerOf(tenant, object.backup, backup) : undefined;
    const details = { object: object?.name ?? null, message, by };
    for (const damaged of [backup, ...(owner ? [owner] : [])])
      if (damaged.damagedDepth !== 'full') await markDamaged(tenant, damaged, { depth: 'full', details, now });
  };
  await bestEffort('mark a backup as damaged', record());
};

interface FoundBy extends Omit<DamagedBackup, 'backup'> {
  readonly job: 'restore' | 'restore test';
  /** The backup to mark; undefined if there is none. */
  readonly backupOf: (object: NonNullable<ReadProblem['object']>, message: string) => Promise<BackupRecord | undefined>;
}

/** Reports damage that a job has met while it read. Errors without an object are not about the contents of a bucket. */
export const reportFoundDamage = async ({ tenant, job, by, now, backupOf }: FoundBy, error: unknown): Promise<void> => {
  const problem = error instanceof ArchiveError ? classifyReadError(error) : undefined;
  const object = problem?.object;
  if (!problem || !object) return;
  const report = async (): Promise<void> => {
    const backup = await backupOf(object, problem.message);
    if (backup) await reportDamage({ tenant, backup, by, now }, problem);
  };
  await bestEffort(`report the damage that a ${job} found`, report());
};

import { iso, type Tenant, type Write } from '../../platform/index.ts';
import { backupAudit } from './backup-audit.ts';
import type { ChainLockResult } from './chain-locks.ts';
import type { BackupRecord } from './record.ts';

/** What the record of a backup says about its locks. A problem that was known keeps its time. */
export const lockFields = (
  locks: ChainLockResult | undefined,
  now: Date,
  knownSince: string = iso(now),
): Pick<BackupRecord, 'immutableUntil'> & { readonly lockProblem?: BackupRecord['lockProblem'] } => ({
  immutableUntil: locks?.immutableUntil ?? null,
  ...(locks?.reason !== undefined && { lockProblem: { reason: locks.reason, since: knownSince } }),
});

/** Why a completed backup is less protected than its destination promises; undefined if it is not. */
export const lockProblemOf = ({ status, lockProblem, verification }: BackupRecord): string | undefined => {
  if (status !== 'completed') return undefined;
  if (lockProblem) return lockProblem.reason;
  const hidden = verification?.findings.filter(({ problem }) => problem === 'hidden').length ?? 0;
  return hidden === 0
    ? undefined
    : `A delete marker or another version hides ${hidden === 1 ? 'one object' : `at least ${hidden} objects`} that the backup needs`;
};

/** A backup that is less protected than its destination promises. */
export const lockProblemAudit = (tenant: Tenant, backup: BackupRecord, now: Date): Write => {
  const { lockedUntil, immutableUntil = null, lockProblem } = backup;
  return backupAudit(tenant, {
    action: 'backup.lock_incomplete',
    backup,
    details: { reason: lockProblem?.reason ?? '', lockedUntil, immutableUntil },
    now,
  });
};

/** Expires one backup, provided nothing the decision relied on has changed. */
import { auditNote, systemAudit } from '../audit/index.ts';
import {
  type Clock,
  check,
  commit,
  conditionOf,
  emitMetric,
  get,
  retryOnConflict,
  StaleReadError,
  type Tenant,
  type Write,
} from '../platform/index.ts';
import { notMoving } from '../project/index.ts';
import { closeUndoWindow } from '../restore/index.ts';
import { scheduleKey } from '../schedule/index.ts';
import { type BackupRecord, backupKey, retireWrites } from '../stored-backup/index.ts';
import type { Expiry } from './decide-expiry.ts';
import { type RetentionCandidate, toCandidate } from './retention-candidate.ts';
import type { ScheduleRule } from './retention-policy.ts';

/** The policy or the last good backup changed since the decision: decide again for all backups. */
export class DecisionOutdatedError extends StaleReadError {}

const isStaleBackup = (error: unknown): boolean => error instanceof StaleReadError && !(error instanceof DecisionOutdatedError);

/** One transaction. `kept`: the backup was held or changed since the decision, so its dependencies must stay, too. */
export const expireBackup = async (
  tenant: Tenant,
  { expiry, rule, time }: { readonly expiry: Expiry; readonly rule: ScheduleRule | undefined; readonly time: Clock },
): Promise<'expired' | 'gone' | 'kept'> => {
  try {
    return await retryOnConflict({ attempts: 3, isRetryable: isStaleBackup }, async () => {
      const backup = await get(backupKey.backup(tenant, expiry.backup.id));
      const candidate = backup && toCandidate(backup);
      if (!backup || !candidate) return 'gone';
      const now = time.now();
      if (!isUnchanged(candidate, expiry.backup) || candidate.heldUntilMs > now.getTime()) return 'kept';
      await commit(await writesOf(tenant, { backup, expiry, rule, now }));
      emitMetric('backup expired', { BackupsExpired: 1 });
      return 'expired';
    });
  } catch (error) {
    if (isStaleBackup(error)) return 'kept';
    throw error;
  }
};

/** Compares what the decision relied on. */
const isUnchanged = (now: RetentionCandidate, then: RetentionCandidate): boolean =>
  now.isCompleted && now.childCount === then.childCount && now.endsAtMs === then.endsAtMs;

const writesOf = async (
  tenant: Tenant,
  {
    backup,
    expiry: { reason, newestGoodId },
    rule,
    now,
  }: { readonly backup: BackupRecord; readonly expiry: Expiry; readonly rule: ScheduleRule | undefined; readonly now: Date },
): Promise<readonly Write[]> => {
  const { id, projectId, size, scheduleId, expiresAt, verification, lockedUntil, safetyOf } = backup;
  const details = {
    projectId,
    reason,
    size,
    ...(reason === 'days' && { expiresAt }),
    ...(reason === 'policy' && { scheduleId, policy: rule?.policy ?? backup.retentionPolicy }),
    ...(safetyOf !== undefined && { restoreJobId: safetyOf }),
  };
  return [
    ...retireWrites(tenant, { backup, status: 'expired', expected: { ...notMoving, verification, expiresAt, lockedUntil }, now }),
    ...(newestGoodId === undefined ? [] : [checkGood(tenant, newestGoodId)]),
    ...(reason === 'policy' && scheduleId !== null ? [checkRule(tenant, scheduleId, rule?.revision)] : []),
    ...(await closeUndoWindow(tenant, backup)),
    systemAudit('retention', { action: 'backup.expired', note: auditNote(tenant, { type: 'backup', id, details }), now }),
  ];
};

const outdated = (): DecisionOutdatedError => new DecisionOutdatedError();

/** A good backup expires only while the newest of its scope is good. */
const checkGood = (tenant: Tenant, backupId: string): Write =>
  check(backupKey.backup(tenant, backupId), { status: 'completed', damagedDepth: undefined }, outdated);

/** The schedule must not have changed since its policy was applied. */
const checkRule = (tenant: Tenant, scheduleId: string, revision: number | undefined): Write => ({
  check: scheduleKey.schedule(tenant, scheduleId),
  ...conditionOf(revision === undefined ? undefined : { revision }),
  onConditionFailed: outdated,
});

/** Taking one backup away, if nothing that was decided from has changed. */
import { auditEntry } from '../audit/index.ts';
import { type BackupRecord, backupKey, retireWrites } from '../backup/index.ts';
import { type Clock, commit, emitMetric, get, StaleReadError, type Tenant, type Write } from '../platform/index.ts';
import { closeUndoWindow } from '../restore/index.ts';
import { scheduleKey } from '../schedule/index.ts';
import type { Verdict } from './decide-expiry.ts';
import { type RetentionCandidate, toCandidate } from './retention-candidate.ts';
import type { ScheduleRule } from './retention-policy.ts';

/** Nobody calls the sweep: what it does is the service's own doing. */
const actor = { type: 'system', id: 'retention', email: null } as const;

/** That a policy or the last good backup was changed since: all is to be decided anew. */
export class DecisionOutdatedError extends StaleReadError {}

const triesMax = 3;

/** One transaction. `kept`: someone has taken hold of it since it was looked at, so that what it needs stays, too. */
export const expire = async (
  tenant: Tenant,
  verdict: Verdict,
  judge: ScheduleRule | undefined,
  time: Clock,
): Promise<'expired' | 'gone' | 'kept'> => {
  for (let tries = 0; tries < triesMax; tries++) {
    const backup = await get(backupKey.backup(tenant, verdict.backup.id));
    const seen = backup && toCandidate(backup);
    if (!backup || !seen) return 'gone';
    const now = time.now();
    if (!isSame(seen, verdict.backup) || seen.heldUntilMs > now.getTime()) return 'kept';
    try {
      await commit(await writesOf(tenant, backup, verdict, judge, now));
      emitMetric('a backup has expired', { BackupsExpired: 1 });
      return 'expired';
    } catch (error) {
      if (error instanceof DecisionOutdatedError || !(error instanceof StaleReadError)) throw error;
    }
  }
  return 'kept';
};

/** As far as it was judged by that. */
const isSame = (now: RetentionCandidate, then: RetentionCandidate): boolean =>
  now.isCompleted && now.builtUpon === then.builtUpon && now.endsAtMs === then.endsAtMs;

const writesOf = async (
  tenant: Tenant,
  backup: BackupRecord,
  { reason, insteadId }: Verdict,
  judge: ScheduleRule | undefined,
  now: Date,
): Promise<readonly Write[]> => {
  const { id, projectId, size, scheduleId, expiresAt, verification, lockedUntil, safetyOf } = backup;
  const details = {
    projectId,
    reason,
    size,
    ...(reason === 'days' && { expiresAt }),
    ...(reason === 'policy' && { scheduleId, policy: judge?.policy ?? backup.retentionPolicy }),
    ...(safetyOf !== undefined && { restoreJobId: safetyOf }),
  };
  const note = { scope: tenant.organizationId, resource: { type: 'backup', id }, details };
  return [
    ...retireWrites(tenant, backup, 'expired', { arriving: undefined, verification, expiresAt, lockedUntil }, now),
    ...(insteadId === undefined ? [] : [whileGood(tenant, insteadId)]),
    ...(reason === 'policy' && scheduleId !== null ? [whileJudged(tenant, scheduleId, judge?.revision)] : []),
    ...(await closeUndoWindow(tenant, backup)),
    auditEntry('backup.expired', note, actor, { ip: null, userAgent: null, requestId: id }, now),
  ];
};

/** A good backup goes only while a newer one of its kind is good. */
const whileGood = (tenant: Tenant, backupId: string): Write => ({
  check: backupKey.backup(tenant, backupId),
  condition: '#status = :completed AND attribute_not_exists(damagedDepth)',
  names: { '#status': 'status' },
  values: { ':completed': 'completed' },
  onConditionFailed: () => new DecisionOutdatedError(),
});

/** A schedule's backup goes only by the policy that the schedule has. */
const whileJudged = (tenant: Tenant, scheduleId: string, revision: number | undefined): Write => ({
  check: scheduleKey.schedule(tenant, scheduleId),
  condition: revision === undefined ? 'attribute_not_exists(pk)' : 'revision = :revision',
  ...(revision !== undefined && { values: { ':revision': revision } }),
  onConditionFailed: () => new DecisionOutdatedError(),
});

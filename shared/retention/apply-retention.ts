/** Applies an organization's retention: one walk, one decision, one transaction per expired backup. */

import { enqueue } from '../event/index.ts';
import { organizationKey } from '../organization/index.ts';
import { pinnedBackups } from '../pitr/index.ts';
import { type Clock, commit, get, isTransientAwsError, log, type Tenant, walk, withLogContext } from '../platform/index.ts';
import { type ScheduleRecord, schedulePrefix } from '../schedule/index.ts';
import { retentionKey } from '../stored-backup/index.ts';
import { decideExpiry, type ExpiryDecision, type Rules } from './decide-expiry.ts';
import { updateDue } from './due-organizations.ts';
import { DecisionOutdatedError, expireBackup } from './expire-backup.ts';
import { loadCandidates, reloadCandidates } from './load-candidates.ts';
import type { RetentionCandidate } from './retention-candidate.ts';
import type { ScheduleRule } from './retention-policy.ts';

const dayMs = 24 * 3_600_000;

/**
 * Expires the backups that retention does not keep. At the deadline it enqueues another task for the rest. Idempotent, and safe
 * beside a concurrent run. A backup that fails to expire does not block the others; the task fails at the end.
 */
export const applyRetention = async (
  tenant: Tenant,
  {
    until,
    time,
    pinsOf = pinnedBackups,
  }: {
    readonly until: Date;
    readonly time: Clock;
    readonly pinsOf?: ((tenant: Tenant) => Promise<ReadonlySet<string>>) | undefined;
  },
): Promise<void> => {
  const due = await get(retentionKey(tenant));
  // A concurrent run has done it, or nothing can expire.
  if (!due || Date.parse(due.dueAt) > time.now().getTime()) return;
  const organization = await get(organizationKey.organization(tenant));
  if (!organization) return updateDue(tenant, due, undefined);
  // A deleted organization can be recovered with all its backups.
  if (organization.deletedAt !== undefined) return updateDue(tenant, due, time.now().getTime() + dayMs);
  const { decision, rules } = await decideFor(tenant, pinsOf, time);
  const { expired, failed, end } = await expireAll(tenant, { decision, rules, until, time });
  log.info('retention applied', { organizationId: tenant.organizationId, expired, failed, end });
  if (failed > 0) throw new Error(`${failed} backups could not be expired`);
  if (end === 'timed-out') return commit([enqueue(tenant, { kind: 'apply-retention' }, time.now())]);
  // If the decision is outdated, retention stays due and the next sweep decides again.
  if (end === 'done') await updateDue(tenant, due, decision.nextAtMs);
};

/** Reads pins and policies after the backups: pinning a backup later changes its `childCount`, which the transaction checks. */
const decideFor = async (
  tenant: Tenant,
  pinsOf: (tenant: Tenant) => Promise<ReadonlySet<string>>,
  time: Clock,
): Promise<{ decision: ExpiryDecision; rules: Rules }> => {
  const decideOn = async (candidates: ReadonlyMap<string, RetentionCandidate>) => {
    const rules = { scheduleRules: await loadScheduleRules(tenant), pins: await pinsOf(tenant) };
    return { decision: decideExpiry(candidates.values(), rules, time.now()), rules };
  };
  const first = await loadCandidates(tenant);
  const decided = await decideOn(first);
  const isCertain = decided.decision.expiring.every(({ backup }) => backup.childCount === undefined);
  return isCertain ? decided : decideOn(await reloadCandidates(tenant, first));
};

const loadScheduleRules = async (tenant: Tenant): Promise<ReadonlyMap<string, ScheduleRule>> => {
  const rules = new Map<string, ScheduleRule>();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: schedulePrefix };
  for await (const { id, retentionPolicy, timezone, revision } of walk<ScheduleRecord>(range))
    rules.set(id, { policy: retentionPolicy ?? undefined, timezone, revision });
  return rules;
};

interface Outcome {
  readonly expired: number;
  readonly failed: number;
  readonly end: 'done' | 'timed-out' | 'outdated';
}

/** Dependents come first: if one is kept after all, the archives it needs are kept with it. */
const expireAll = async (
  tenant: Tenant,
  {
    decision,
    rules: { scheduleRules },
    until,
    time,
  }: { readonly decision: ExpiryDecision; readonly rules: Rules; readonly until: Date; readonly time: Clock },
): Promise<Outcome> => {
  const keptArchives = new Set<string>();
  let [expired, failed] = [0, 0];
  for (const expiry of decision.expiring) {
    if (time.now() >= until) return { expired, failed, end: 'timed-out' };
    const { id, archiveId, needs, rule } = expiry.backup;
    let outcome: Awaited<ReturnType<typeof expireBackup>> = 'kept';
    try {
      const scheduleRule = scheduleRules.get(rule?.scheduleId ?? '');
      if (!keptArchives.has(archiveId))
        outcome = await withLogContext({ backupId: id }, () => expireBackup(tenant, { expiry, rule: scheduleRule, time }));
    } catch (error) {
      if (error instanceof DecisionOutdatedError) return { expired, failed, end: 'outdated' };
      if (isTransientAwsError(error)) throw error;
      log.error('backup is past its retention but could not be expired', { backupId: id, error: error as Error });
      failed += 1;
    }
    if (outcome === 'expired') expired += 1;
    if (outcome === 'kept') for (const needed of needs) keptArchives.add(needed);
  }
  return { expired, failed, end: 'done' };
};

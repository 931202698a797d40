/** The retention of an organization: one walk, one decision, one transaction for each backup that goes. */
import { enqueue } from '../event/index.ts';
import { organizationKey } from '../organization/index.ts';
import { pinnedBackups } from '../pitr/index.ts';
import { type Clock, commit, get, isTransientAwsError, log, type Tenant, walk, withLogContext } from '../platform/index.ts';
import { type ScheduleRecord, schedulePrefix } from '../schedule/index.ts';
import { type Decision, decide, type Rules } from './decide-expiry.ts';
import { readDue, settleDue } from './due-organizations.ts';
import { DecisionOutdatedError, expire } from './expire-backup.ts';
import { loadCandidates, reloadCandidates } from './load-candidates.ts';
import type { RetentionCandidate } from './retention-candidate.ts';
import type { ScheduleRule } from './retention-policy.ts';

const dayMs = 24 * 3_600_000;

/**
 * Removes what the organization's retention does not keep, until the time given, then asks for another task. Every part may run
 * again, and beside another run. What cannot be removed for a reason of its own keeps nothing else, and is told at the end.
 */
export const applyRetention = async (
  tenant: Tenant,
  until: Date,
  time: Clock,
  pinsOf: (tenant: Tenant) => Promise<ReadonlySet<string>> = pinnedBackups,
): Promise<void> => {
  const due = await readDue(tenant);
  // Another run was faster, or nothing is left to be removed ever.
  if (!due || Date.parse(due.dueAt) > time.now().getTime()) return;
  const organization = await get(organizationKey.organization(tenant));
  if (!organization) return settleDue(tenant, due, undefined);
  // Whoever recovers it finds everything as it was.
  if (organization.deletedAt !== undefined) return settleDue(tenant, due, time.now().getTime() + dayMs);
  const { decision, rules } = await decideFor(tenant, pinsOf, time);
  const { expired, failed, end } = await act(tenant, decision, rules, until, time);
  log.info('applied retention', { organizationId: tenant.organizationId, expired, failed, end });
  if (failed > 0) throw new Error(`${failed} backups could not be removed`);
  if (end === 'late') return commit([enqueue(tenant, { kind: 'apply-retention' }, time.now())]);
  // What was decided from has changed: it stays due, and the next sweep decides anew.
  if (end === 'done') await settleDue(tenant, due, decision.nextAtMs);
};

/** What pins and policies say is read after the backups: who pins one of them later finds its number raised. */
const decideFor = async (
  tenant: Tenant,
  pinsOf: (tenant: Tenant) => Promise<ReadonlySet<string>>,
  time: Clock,
): Promise<{ decision: Decision; rules: Rules }> => {
  const decideOn = async (seen: ReadonlyMap<string, RetentionCandidate>) => {
    const rules = { judges: await judgesOf(tenant), pins: await pinsOf(tenant) };
    return { decision: decide(seen.values(), rules, time.now()), rules };
  };
  const first = await loadCandidates(tenant);
  const decided = await decideOn(first);
  const isCertain = decided.decision.expiring.every(({ backup }) => backup.builtUpon === undefined);
  return isCertain ? decided : decideOn(await reloadCandidates(tenant, first));
};

const judgesOf = async (tenant: Tenant): Promise<ReadonlyMap<string, ScheduleRule>> => {
  const judges = new Map<string, ScheduleRule>();
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: schedulePrefix };
  for await (const { id, retentionPolicy, timezone, revision } of walk<ScheduleRecord>(range))
    judges.set(id, { policy: retentionPolicy ?? undefined, timezone, revision });
  return judges;
};

interface Acted {
  readonly expired: number;
  readonly failed: number;
  readonly end: 'done' | 'late' | 'outdated';
}

/** Needers come first: what one that is kept after all is read from is spared. */
const act = async (tenant: Tenant, decision: Decision, { judges }: Rules, until: Date, time: Clock): Promise<Acted> => {
  const spared = new Set<string>();
  let [expired, failed] = [0, 0];
  for (const verdict of decision.expiring) {
    if (time.now() >= until) return { expired, failed, end: 'late' };
    const { id, archiveId, needs, rule } = verdict.backup;
    let outcome: Awaited<ReturnType<typeof expire>> = 'kept';
    try {
      const judge = judges.get(rule?.scheduleId ?? '');
      if (!spared.has(archiveId)) outcome = await withLogContext({ backupId: id }, () => expire(tenant, verdict, judge, time));
    } catch (error) {
      if (error instanceof DecisionOutdatedError) return { expired, failed, end: 'outdated' };
      if (isTransientAwsError(error)) throw error;
      log.error('a backup was not removed although its retention is over', { backupId: id, error: error as Error });
      failed += 1;
    }
    if (outcome === 'expired') expired += 1;
    if (outcome === 'kept') for (const needed of needs) spared.add(needed);
  }
  return { expired, failed, end: 'done' };
};

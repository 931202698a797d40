/** Decides which backups expire, and when to decide again. Pure. */
import { DependencyGraph } from './dependency-graph.ts';
import { keptBy, newestFirst } from './kept-by-policy.ts';
import type { RetentionCandidate } from './retention-candidate.ts';
import type { ScheduleRule } from './retention-policy.ts';

export interface Rules {
  /** The existing schedules, by id. */
  readonly scheduleRules: ReadonlyMap<string, ScheduleRule>;
  /** Backups that point-in-time recovery needs. */
  readonly pins: ReadonlySet<string>;
}

export interface Expiry {
  readonly backup: RetentionCandidate;
  readonly reason: 'days' | 'policy' | 'pitr';
  /** If the backup is good: the newest good backup of its scope, which must still be good when this one expires. */
  readonly newestGoodId: string | undefined;
}

export interface ExpiryDecision {
  /** Dependents come before their dependencies. */
  readonly expiring: readonly Expiry[];
  /** When the decision may change without an event; undefined if it cannot. */
  readonly nextAtMs: number | undefined;
}

const dayMs = 24 * 3_600_000;

/**
 * A backup past its days, its policy or the last restore window expires, unless it is held, pinned, the last good one of its
 * scope, or a dependency of a backup that stays.
 */
export const decideExpiry = (
  backups: Iterable<RetentionCandidate>,
  { scheduleRules, pins }: Rules,
  now: Date,
): ExpiryDecision => {
  const nowMs = now.getTime();
  const all = [...backups];
  const graph = new DependencyGraph(all);
  const byPolicy = policyKeeps(all, scheduleRules);
  const lastGood = lastGoodOf(all, graph);
  const isOver = (backup: RetentionCandidate): boolean =>
    backup.isCompleted && (backup.rule ? !byPolicy.has(backup) : backup.endsAtMs <= nowMs);
  const over = new Set(all.filter(isOver));
  const mustStay = (backup: RetentionCandidate): boolean =>
    !over.has(backup) || backup.heldUntilMs > nowMs || pins.has(backup.id) || lastGood.kept.has(backup);
  const staying = graph.closure(all.filter(mustStay));
  const going = all.filter((backup) => !staying.has(backup));
  const expiring = graph.dependentsFirst(going).map((backup) => ({
    backup,
    reason: reasonOf(backup),
    newestGoodId: backup.isGood ? lastGood.newest.get(backup.scope)?.id : undefined,
  }));
  return { expiring, nextAtMs: nextAtMs(all, (backup) => over.has(backup) && staying.has(backup), nowMs) };
};

const reasonOf = ({ rule, isBase }: RetentionCandidate): Expiry['reason'] => {
  if (rule) return 'policy';
  return isBase ? 'pitr' : 'days';
};

/**
 * A backup is kept by the schedule's current policy or by the policy it was made under: the right to change a schedule is no right
 * to delete backups. Days work the same way.
 */
const policyKeeps = (
  all: readonly RetentionCandidate[],
  scheduleRules: Rules['scheduleRules'],
): ReadonlySet<RetentionCandidate> => {
  const bySchedule = Map.groupBy(
    all.filter(({ isCompleted, rule }) => isCompleted && rule),
    ({ rule }) => rule?.scheduleId ?? '',
  );
  const kept = new Set<RetentionCandidate>();
  for (const [scheduleId, members] of bySchedule) {
    const newest = members.toSorted(newestFirst)[0]?.rule;
    const schedule = scheduleRules.get(scheduleId);
    const timezone = schedule?.timezone ?? newest?.timezone ?? 'UTC';
    const current = schedule?.policy ?? newest?.policy;
    for (const backup of current ? keptBy(current, timezone, members) : members) kept.add(backup);
    // Each policy counts only the backups made under it, so that they do not depend on the others.
    for (const group of Map.groupBy(members, ({ rule }) => JSON.stringify(rule?.policy)).values()) {
      const policy = group[0]?.rule?.policy;
      for (const backup of policy ? keptBy(policy, timezone, group) : group) kept.add(backup);
    }
  }
  return kept;
};

interface LastGood {
  readonly newest: ReadonlyMap<string, RetentionCandidate>;
  readonly kept: ReadonlySet<RetentionCandidate>;
}

/**
 * The newest good backup of each scope; if one of its dependencies is damaged, also the newest with undamaged dependencies. If no
 * backup of a scope is good, the newest damaged one that is not partial.
 */
const lastGoodOf = (all: readonly RetentionCandidate[], graph: DependencyGraph): LastGood => {
  const newest = newestOf(all.filter(({ isGood }) => isGood));
  const undamaged = newestOf(all.filter((backup) => backup.isGood && !graph.isReadFromDamaged(backup)));
  const damaged = newestOf(all.filter(({ isCompleted, isDamaged, isPartial }) => isCompleted && isDamaged && !isPartial));
  const fallback = [...damaged].filter(([scope]) => !newest.has(scope)).map(([, backup]) => backup);
  return { newest, kept: new Set([...newest.values(), ...undamaged.values(), ...fallback]) };
};

const newestOf = (backups: readonly RetentionCandidate[]): ReadonlyMap<string, RetentionCandidate> => {
  const newest = new Map<string, RetentionCandidate>();
  for (const backup of backups) {
    const known = newest.get(backup.scope);
    if (!known || newestFirst(backup, known) < 0) newest.set(backup.scope, backup);
  }
  return newest;
};

/** Days and locks end at a known time. Everything else, such as policies and restore windows, is checked daily. */
const nextAtMs = (
  all: readonly RetentionCandidate[],
  isKeptOver: (backup: RetentionCandidate) => boolean,
  nowMs: number,
): number | undefined => {
  let next = Number.POSITIVE_INFINITY;
  for (const backup of all) {
    if (!backup.isCompleted) continue;
    const { endsAtMs, heldUntilMs, rule } = backup;
    if (isKeptOver(backup)) next = Math.min(next, isFuture(heldUntilMs, nowMs) ? heldUntilMs : nowMs + dayMs);
    else if (rule) next = Math.min(next, nowMs + dayMs);
    else if (endsAtMs > nowMs) next = Math.min(next, endsAtMs);
  }
  return Number.isFinite(next) ? next : undefined;
};

const isFuture = (moment: number, nowMs: number): boolean => Number.isFinite(moment) && moment > nowMs;

/** What retention removes, and when to look again. Pure: what was read goes in, what is to be done comes out. */

import { Relations } from './dependency-graph.ts';
import type { RetentionCandidate } from './retention-candidate.ts';
import { keptBy, newestFirst, type ScheduleRule } from './retention-policy.ts';

export interface Rules {
  /** The schedules that are there, by their ids. */
  readonly judges: ReadonlyMap<string, ScheduleRule>;
  /** Backups that points in time need. */
  readonly pins: ReadonlySet<string>;
}

export interface Verdict {
  readonly backup: RetentionCandidate;
  readonly reason: 'days' | 'policy' | 'pitr';
  /** Of what was good: the newest good one of its scope, because of which it may go. */
  readonly insteadId: string | undefined;
}

export interface Decision {
  /** Whoever needs another comes before it. */
  readonly expiring: readonly Verdict[];
  /** When something may change by itself; undefined if nothing can. */
  readonly nextAtMs: number | undefined;
}

const dayMs = 24 * 3_600_000;

/**
 * Over is what its days, its policy or the last window have left behind. Of that stays what is held, pinned or the last good
 * one of its scope, and whatever one that stays is read from or is being made of.
 */
export const decide = (backups: Iterable<RetentionCandidate>, { judges, pins }: Rules, now: Date): Decision => {
  const nowMs = now.getTime();
  const all = [...backups];
  const relations = new Relations(all);
  const byPolicy = policyKeeps(all, judges);
  const lastGood = lastGoodOf(all, relations);
  const isOver = (backup: RetentionCandidate): boolean =>
    backup.isCompleted && (backup.rule ? !byPolicy.has(backup) : backup.endsAtMs <= nowMs);
  const over = new Set(all.filter(isOver));
  const mustStay = (backup: RetentionCandidate): boolean =>
    !over.has(backup) || backup.heldUntilMs > nowMs || pins.has(backup.id) || lastGood.kept.has(backup);
  const staying = relations.closure(all.filter(mustStay));
  const going = all.filter((backup) => !staying.has(backup));
  const expiring = relations.dependentsFirst(going).map((backup) => ({
    backup,
    reason: reasonOf(backup),
    insteadId: backup.isGood ? lastGood.newest.get(backup.scope)?.id : undefined,
  }));
  return { expiring, nextAtMs: nextAtMs(all, (backup) => over.has(backup) && staying.has(backup), nowMs) };
};

const reasonOf = ({ rule, isBase }: RetentionCandidate): Verdict['reason'] => {
  if (rule) return 'policy';
  return isBase ? 'pitr' : 'days';
};

/**
 * Kept is what the schedule's policy keeps, and what the one keeps that a backup was made under: whoever may change a schedule may
 * not delete backups by it, and what was promised on the day a backup was made holds. The same as days do.
 */
const policyKeeps = (all: readonly RetentionCandidate[], judges: Rules['judges']): ReadonlySet<RetentionCandidate> => {
  const judged = Map.groupBy(
    all.filter(({ isCompleted, rule }) => isCompleted && rule),
    ({ rule }) => rule?.scheduleId ?? '',
  );
  const kept = new Set<RetentionCandidate>();
  for (const [scheduleId, members] of judged) {
    const newest = members.toSorted(newestFirst)[0]?.rule;
    const judge = judges.get(scheduleId);
    const timezone = judge?.timezone ?? newest?.timezone ?? 'UTC';
    const present = judge?.policy ?? newest?.policy;
    for (const backup of present ? keptBy(present, timezone, members) : members) kept.add(backup);
    // Counted among their like: what goes by another policy changes nothing for these.
    for (const alike of Map.groupBy(members, ({ rule }) => JSON.stringify(rule?.policy)).values()) {
      const policy = alike[0]?.rule?.policy;
      for (const backup of policy ? keptBy(policy, timezone, alike) : alike) kept.add(backup);
    }
  }
  return kept;
};

interface LastGood {
  readonly newest: ReadonlyMap<string, RetentionCandidate>;
  readonly kept: ReadonlySet<RetentionCandidate>;
}

/**
 * Of each scope the newest good one, and if something that it is read from was found damaged also the newest of which nothing
 * was. Where none is good, the newest of the damaged ones that hold all.
 */
const lastGoodOf = (all: readonly RetentionCandidate[], relations: Relations): LastGood => {
  const newest = newestOf(all.filter(({ isGood }) => isGood));
  const sound = newestOf(all.filter((backup) => backup.isGood && !relations.isReadFromDamaged(backup)));
  const damaged = newestOf(all.filter(({ isCompleted, isDamaged, isPartial }) => isCompleted && isDamaged && !isPartial));
  const spare = [...damaged].filter(([scope]) => !newest.has(scope)).map(([, backup]) => backup);
  return { newest, kept: new Set([...newest.values(), ...sound.values(), ...spare]) };
};

const newestOf = (backups: readonly RetentionCandidate[]): ReadonlyMap<string, RetentionCandidate> => {
  const newest = new Map<string, RetentionCandidate>();
  for (const backup of backups) {
    const known = newest.get(backup.scope);
    if (!known || newestFirst(backup, known) < 0) newest.set(backup.scope, backup);
  }
  return newest;
};

/** The end of days and of locks is known; all else, such as another policy or a window that moves on, is looked for daily. */
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

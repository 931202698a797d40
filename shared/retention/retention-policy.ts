/** Which backups of a schedule its policy keeps. */
import { calendarOf, type Periods } from './calendar.ts';
import type { OwnRule, RetentionCandidate } from './retention-candidate.ts';

/** A schedule, as far as its backups are judged by it. */
export interface ScheduleRule {
  /** Undefined if it keeps by days now, or for ever. */
  readonly policy: OwnRule['policy'] | undefined;
  readonly timezone: string;
  readonly revision: number;
}

const kinds = ['daily', 'weekly', 'monthly', 'yearly'] as const satisfies readonly (keyof Periods)[];

/**
 * The newest of each of the last so many days, weeks, months and years that have one. Where a period has a damaged one and
 * another, the other is kept; where it has only damaged ones it counts for nothing, and the newest is kept beside.
 */
export const keptBy = (
  policy: OwnRule['policy'],
  timezone: string,
  backups: readonly RetentionCandidate[],
): ReadonlySet<RetentionCandidate> => {
  const kept = new Set<RetentionCandidate>();
  const calendar = calendarOf(timezone);
  const dated = [...backups].sort(newestFirst).map((backup) => ({ backup, periods: calendar(backup.momentMs) }));
  for (const kind of kinds) {
    let left = policy[kind];
    for (let start = 0, end = 0; left > 0 && start < dated.length; start = end) {
      const period = dated[start]?.periods[kind];
      while (end < dated.length && dated[end]?.periods[kind] === period) end++;
      const within = dated.slice(start, end).map(({ backup }) => backup);
      const sound = within.find(({ isDamaged }) => !isDamaged);
      const [newest] = within;
      if (sound ?? newest) kept.add((sound ?? newest) as RetentionCandidate);
      if (sound) left -= 1;
    }
  }
  return kept;
};

/** Of two that show the same moment, such as a full one made of a chain and the last of the chain, the later made. */
export const newestFirst = (a: RetentionCandidate, b: RetentionCandidate): number =>
  b.momentMs - a.momentMs || (a.id < b.id ? 1 : -1);

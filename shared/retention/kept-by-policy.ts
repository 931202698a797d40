/** Which backups a retention policy keeps. The console draws it before a policy is saved: imports nothing but the calendar. */
import { calendarOf, type Periods } from './calendar.ts';

interface DatedBackup {
  readonly id: string;
  /** The moment whose data it holds. */
  readonly momentMs: number;
  readonly isDamaged: boolean;
}

const kinds = ['daily', 'weekly', 'monthly', 'yearly'] as const satisfies readonly (keyof Periods)[];

/**
 * The newest backup of each of the last n days, weeks, months and years that have one. An undamaged backup is preferred. A period
 * with only damaged backups keeps its newest and does not count towards n.
 */
export const keptBy = <T extends DatedBackup>(policy: Periods, timezone: string, backups: readonly T[]): ReadonlySet<T> => {
  const kept = new Set<T>();
  const calendar = calendarOf(timezone);
  const dated = [...backups].sort(newestFirst).map((backup) => ({ backup, periods: calendar(backup.momentMs) }));
  for (const kind of kinds) {
    let remaining = policy[kind];
    for (let start = 0, end = 0; remaining > 0 && start < dated.length; start = end) {
      const period = dated[start]?.periods[kind];
      while (end < dated.length && dated[end]?.periods[kind] === period) end++;
      const within = dated.slice(start, end).map(({ backup }) => backup);
      const undamaged = within.find(({ isDamaged }) => !isDamaged);
      const chosen = undamaged ?? within[0];
      if (chosen) kept.add(chosen);
      if (undamaged) remaining -= 1;
    }
  }
  return kept;
};

/** Of two backups of the same moment, such as a synthetic full and the last of its chain, the later one comes first. */
export const newestFirst = (a: DatedBackup, b: DatedBackup): number => b.momentMs - a.momentMs || (a.id < b.id ? 1 : -1);

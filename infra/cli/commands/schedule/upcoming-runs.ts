/** When schedules run next, by the rule that the service uses. */
import { nextRun } from '../../../../shared/recurring/cron/next-run.ts';
import type { Schedule } from '../../context/find-resource.ts';

export interface UpcomingRun {
  readonly at: string;
  readonly scheduleId: string;
  readonly name: string;
}

/** Soonest first. Paused schedules have none. */
export const upcomingRuns = (schedules: readonly Schedule[], after: Date, count: number): readonly UpcomingRun[] =>
  schedules
    .filter(({ enabled }) => enabled)
    .flatMap((schedule) => runsOf(schedule, after, count))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, count);

const runsOf = ({ id, name, cron, timezone }: Schedule, after: Date, count: number): readonly UpcomingRun[] => {
  const runs: UpcomingRun[] = [];
  for (let at = nextRun(cron, timezone, after); at && runs.length < count; at = nextRun(cron, timezone, at))
    runs.push({ at: at.toISOString(), scheduleId: id, name });
  return runs;
};

/** When a schedule runs, by the service's own rules. */
import { nextRun } from '../../../../../shared/recurring/cron/next-run.ts';

export interface UpcomingRuns {
  readonly runs: readonly Date[];
  /** Why there are none, such as a mistake in the expression. */
  readonly problem: string | undefined;
}

interface Asked {
  readonly timezone: string;
  readonly after: Date;
  readonly until?: Date;
  readonly count: number;
}

export const upcomingRuns = (cron: string, { timezone, after, until, count }: Asked): UpcomingRuns => {
  const runs: Date[] = [];
  try {
    for (let from = after; runs.length < count; ) {
      const run = nextRun(cron.trim().replace(/[ \t]+/g, ' '), timezone, from);
      if (!run || (until && run > until)) break;
      runs.push(run);
      from = run;
    }
  } catch (error) {
    return { runs: [], problem: reasonOf(error) };
  }
  return { runs, problem: undefined };
};

/** The reason without the name of the field. */
const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.replace(/^cron: /, '');
  return reason.charAt(0).toUpperCase() + reason.slice(1);
};

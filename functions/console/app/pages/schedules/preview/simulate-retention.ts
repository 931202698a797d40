/** Which backups there would be today if the schedule had always run and every run had succeeded. */
import { previousRun } from '../../../../../../shared/recurring/cron/next-run.ts';
import { toInstants, toLocalTime } from '../../../../../../shared/recurring/cron/time-zone.ts';
import { keptBy } from '../../../../../../shared/retention/kept-by-policy.ts';

export interface RetentionPolicy {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  readonly yearly: number;
}

export type Retention =
  | { readonly kind: 'forever' }
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'policy'; readonly policy: RetentionPolicy };

export interface SimulatedDay {
  /** The local date as milliseconds of UTC. */
  readonly date: number;
  readonly isKept: boolean;
  /** Which counts of a policy keep it. */
  readonly reasons: readonly (keyof RetentionPolicy)[];
}

const dayMs = 86_400_000;
const kinds = ['daily', 'weekly', 'monthly', 'yearly'] as const;

/** One entry per day with a run, newest first: of a day, a policy keeps only the last. */
export const simulateRetention = (
  { cron, timezone }: { readonly cron: string; readonly timezone: string },
  retention: Retention,
  { now, days }: { readonly now: Date; readonly days: number },
): readonly SimulatedDay[] => {
  const runs = lastRuns(cron, { timezone, now, days });
  if (retention.kind === 'policy') {
    const only = (kind: keyof RetentionPolicy): RetentionPolicy => ({
      ...{ daily: 0, weekly: 0, monthly: 0, yearly: 0 },
      [kind]: retention.policy[kind],
    });
    const kept = kinds.map((kind) => [kind, keptBy(only(kind), timezone, runs)] as const);
    return runs.map((run) => {
      const reasons = kept.flatMap(([kind, some]) => (some.has(run) ? [kind] : []));
      return { date: run.date, isKept: reasons.length > 0, reasons };
    });
  }
  const oldest = retention.kind === 'days' ? now.getTime() - retention.days * dayMs : Number.NEGATIVE_INFINITY;
  return runs.map(({ date, momentMs }) => ({ date, isKept: momentMs > oldest, reasons: [] }));
};

const lastRuns = (
  cron: string,
  { timezone, now, days }: { readonly timezone: string; readonly now: Date; readonly days: number },
) => {
  const runs: { id: string; momentMs: number; isDamaged: boolean; date: number }[] = [];
  const first = now.getTime() - days * dayMs;
  for (let before = now; ; ) {
    const run = previousRun(cron, timezone, before);
    if (!run || run.getTime() < first) return runs;
    const momentMs = run.getTime();
    const date = Math.floor(toLocalTime(timezone, momentMs) / dayMs) * dayMs;
    runs.push({ id: String(momentMs), momentMs, isDamaged: false, date });
    before = new Date(toInstants(timezone, date)[0] ?? momentMs);
  }
};

import { useMemo } from 'react';
import { formatMoment, formatRelative, formatUtc, ownTimeZone } from '../../format/format-time.ts';
import { Icon } from '../../ui/icon.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { upcomingRuns } from './upcoming-runs.ts';

interface NextRunsProps {
  readonly cron: string;
  readonly timezone: string;
}

const shownRuns = 5;

/** The next five runs in the schedule's zone; hover shows them in the person's zone and in UTC. */
export const NextRuns = ({ cron, timezone }: NextRunsProps) => {
  const now = useMemo(() => new Date(), []);
  const { runs, problem } = useMemo(() => upcomingRuns(cron, { timezone, after: now, count: shownRuns }), [cron, timezone, now]);
  const format = useMemo(() => runFormat(timezone, now), [timezone, now]);
  if (problem)
    return (
      <p className="field__error" role="alert">
        <Icon name="alert" /> <span>{problem}</span>
      </p>
    );
  return (
    <ol className="stack stack--tight next-runs" aria-label={`The next ${shownRuns} runs`}>
      {runs.map((run) => (
        <li key={run.getTime()}>
          <Tooltip
            text={
              <>
                {timezone !== ownTimeZone() && <div>{formatMoment(run)} your time</div>}
                <div>{formatUtc(run)}</div>
              </>
            }
          >
            <time className="time number" dateTime={run.toISOString()}>
              {format(run)}
            </time>
          </Tooltip>
          <span className="muted small">{formatRelative(run, now)}</span>
        </li>
      ))}
    </ol>
  );
};

/** The year only where it is another one. */
const runFormat = (timeZone: string, now: Date): ((run: Date) => string) => {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const zone = { timeZone, timeZoneName: 'shortOffset' } as const;
  const [short, long] = [
    new Intl.DateTimeFormat(undefined, { ...parts, ...zone }),
    new Intl.DateTimeFormat(undefined, { ...parts, ...zone, year: 'numeric' }),
  ];
  // The list of time zones calls it UTC.
  return (run) => (run.getUTCFullYear() === now.getUTCFullYear() ? short : long).format(run).replace(/GMT$/, 'UTC');
};

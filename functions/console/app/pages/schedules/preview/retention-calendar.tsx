import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { type Retention, type RetentionPolicy, type SimulatedDay, simulateRetention } from './simulate-retention.ts';

interface RetentionCalendarProps {
  readonly cron: string;
  readonly timezone: string;
  readonly retention: Retention;
}

const dayMs = 86_400_000;
const shownMonths = 12;
/** A policy may reach further back than the drawing, but this is enough to understand it. */
const simulatedDaysMax = 5 * 366;

const reachOf = (retention: Retention): number => {
  if (retention.kind !== 'policy') return 366;
  const { daily, weekly, monthly, yearly } = retention.policy;
  return Math.min(simulatedDaysMax, Math.max(366, daily + 31, (weekly + 1) * 7, (monthly + 1) * 31, (yearly + 1) * 366));
};

const monthName = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const dateName = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const names: Readonly<Record<keyof RetentionPolicy, string>> = { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' };

/** The longest period that keeps a backup gives its colour. */
const toneOf = ({ isKept, reasons }: SimulatedDay): string => (isKept ? (reasons.at(-1) ?? 'kept') : 'removed');

/** The backups of the last year as a calendar: which of them there would be today. */
export const RetentionCalendar = (props: RetentionCalendarProps) => {
  const { cron, timezone, retention } = useDeferredValue(props);
  const now = useMemo(() => new Date(), []);
  const days = useMemo(() => {
    try {
      return simulateRetention({ cron, timezone }, retention, { now, days: reachOf(retention) });
    } catch {
      return undefined;
    }
  }, [cron, timezone, retention, now]);
  if (!days) return <p className="muted">The calendar appears once the times are valid.</p>;
  const byDate = new Map(days.map((day) => [day.date, day]));
  const kept = days.filter(({ isKept }) => isKept);
  const firstShown = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - shownMonths + 1, 1);
  const older = kept.filter(({ date }) => date < firstShown);
  return (
    <figure className="stack retention">
      <div className="retention__months" role="img" aria-label={summaryOf(kept, retention)}>
        {Array.from({ length: shownMonths }, (_, n) =>
          Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - shownMonths + 1 + n, 1),
        ).map((month) => (
          <Month key={month} month={month} byDate={byDate} today={now.getTime()} />
        ))}
      </div>
      <figcaption className="stack stack--tight">
        <p>{summaryOf(kept, retention)}</p>
        {older.length > 0 && (
          <p className="small muted">
            Older than shown:{' '}
            {older
              .slice(0, 8)
              .map(({ date }) => dateName.format(date))
              .join(' · ')}
            {older.length > 8 && ` and ${formatCount(older.length - 8)} more`}
          </p>
        )}
        <Legend days={days} retention={retention} hasIdleDays={days.length < reachOf(retention) - 1} />
        {retention.kind === 'policy' && <KeptDays kept={kept} />}
      </figcaption>
    </figure>
  );
};

const summaryOf = (kept: readonly SimulatedDay[], retention: Retention): string => {
  const oldest = kept.at(-1);
  if (retention.kind === 'forever') return 'Every backup is kept. Storage grows with each run.';
  if (!oldest) return 'No backup would be kept.';
  const since = `the oldest is of ${dateName.format(oldest.date)}`;
  if (retention.kind === 'days') return `Each backup is kept for ${formatPlural(retention.days, 'day')}; ${since}.`;
  return `If every run succeeds, ${formatPlural(kept.length, 'backup is', 'backups are')} kept; ${since}.`;
};

interface MonthProps {
  readonly month: number;
  readonly byDate: ReadonlyMap<number, SimulatedDay>;
  readonly today: number;
}

const Month = ({ month, byDate, today }: MonthProps) => {
  const date = new Date(month);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return (
    <div className="retention__month">
      <div className="retention__name">{monthName.format(month)}</div>
      <div className="retention__days">
        {Array.from({ length }, (_, n) => month + n * dayMs).map((day, n) => {
          const entry = byDate.get(day);
          const tone = entry ? toneOf(entry) : day > today ? 'future' : 'none';
          return (
            <span
              key={day}
              className={`retention__day retention__day--${tone}`}
              style={n === 0 ? { gridColumnStart: ((date.getUTCDay() + 6) % 7) + 1 } : undefined}
              title={entry && `${dateName.format(day)}: ${wordsOf(entry)}`}
            />
          );
        })}
      </div>
    </div>
  );
};

const wordsOf = (day: SimulatedDay): string => {
  if (!day.isKept) return 'removed';
  return ['kept', reasonWords(day)].filter(Boolean).join(', ');
};

const reasonWords = ({ reasons }: SimulatedDay): string =>
  reasons.length === 0 ? '' : `the last of its ${reasons.map((reason) => names[reason]).join(', ')}`;

const listedMax = 60;

/** The dates in words, for people who do not see the colours or cannot point at a day. */
const KeptDays = ({ kept }: { readonly kept: readonly SimulatedDay[] }) =>
  kept.length === 0 ? null : (
    <details className="names">
      <summary>Which days</summary>
      <ul className="retention__list small">
        {kept.slice(0, listedMax).map((day) => (
          <li key={day.date}>
            {dateName.format(day.date)} <span className="muted">{reasonWords(day)}</span>
          </li>
        ))}
      </ul>
      {kept.length > listedMax && <p className="small muted">And {formatPlural(kept.length - listedMax, 'older day')}.</p>}
    </details>
  );

interface LegendProps {
  readonly days: readonly SimulatedDay[];
  readonly retention: Retention;
  /** Some days have no run. */
  readonly hasIdleDays: boolean;
}

/** The colours, with the number of backups of each. */
const Legend = ({ days, retention, hasIdleDays }: LegendProps) => {
  const shown = (['daily', 'weekly', 'monthly', 'yearly'] as const).filter(
    (kind) => retention.kind === 'policy' && retention.policy[kind] > 0,
  );
  const kept =
    retention.kind === 'policy'
      ? shown.map((kind) => [kind, `Last of its ${names[kind]}`] as const)
      : ([['kept', 'Days with kept backups']] as const);
  const others = [
    ...(retention.kind === 'forever' ? [] : ([['removed', 'Removed']] as const)),
    ...(hasIdleDays ? ([['none', 'No run']] as const) : []),
  ];
  const countOf = (tone: string): number => days.filter((day) => toneOf(day) === tone).length;
  return (
    <ul className="legend">
      {kept.map(([tone, label]) => (
        <LegendEntry key={tone} tone={tone}>
          {label}
          <span className="muted number"> {formatCount(countOf(tone))}</span>
        </LegendEntry>
      ))}
      {others.map(([tone, label]) => (
        <LegendEntry key={tone} tone={tone}>
          {label}
        </LegendEntry>
      ))}
    </ul>
  );
};

const LegendEntry = ({ tone, children }: { readonly tone: string; readonly children: ReactNode }) => (
  <li>
    <span className={`retention__day retention__day--${tone}`} aria-hidden="true" /> {children}
  </li>
);

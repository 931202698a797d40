import { useEffect, useState } from 'react';
import { formatMoment, formatRelative, formatSecond, formatUtc } from '../../format/format-time.ts';
import { Tooltip } from '../tooltip.tsx';

interface TimeProps {
  /** ISO 8601, as the API has it. */
  readonly at: string | null | undefined;
  /** `3 hours ago` instead of date and time. */
  readonly relative?: boolean;
  /** To the second, not the minute. */
  readonly seconds?: boolean;
  /** Shown if there is no time. */
  readonly none?: string;
}

const tickMs = 30_000;

/** The current time at every render, and a render every half minute while it is ticking. */
const useNow = (isTicking: boolean): Date => {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), tickMs);
    return () => clearInterval(timer);
  }, [isTicking]);
  return new Date();
};

/** In the person's time zone; hover also shows it in UTC. */
export const Time = ({ at, relative = false, seconds = false, none = '–' }: TimeProps) => {
  const now = useNow(relative);
  if (!at) return <span className="muted nowrap">{none}</span>;
  const date = new Date(at);
  const local = seconds ? formatSecond(date) : formatMoment(date);
  return (
    <Tooltip
      text={
        <>
          {relative && <span className="time__line">{local}</span>}
          <span className="time__line">{formatUtc(date)}</span>
        </>
      }
    >
      <time className="time number" dateTime={at}>
        {relative ? formatRelative(date, now) : local}
      </time>
    </Tooltip>
  );
};

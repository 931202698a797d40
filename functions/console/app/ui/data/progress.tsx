import { useState } from 'react';
import { Elapsed } from './elapsed.tsx';

interface ProgressProps {
  /** Says what progresses. */
  readonly label: string;
  /** 0 to 100; undefined if it is unknown. */
  readonly percent: number | undefined;
  /** When it began; null if it has not. Absent: when the bar was first shown, as for a call that the page makes. */
  readonly since?: string | null | undefined;
  readonly tone?: 'accent' | 'good' | 'bad' | 'warn';
}

/** A bar below its label, its percentage and the time that has passed. */
export const Progress = ({ label, percent, since, tone = 'accent' }: ProgressProps) => {
  const [shownAt] = useState(() => new Date().toISOString());
  const began = since === undefined ? shownAt : since;
  return (
    <div className="progress">
      <div className="progress__caption">
        <span className="progress__label">{label}</span>
        {/* Its seconds are not read out, also where the page says that something runs. */}
        <span className="number nowrap" aria-live="off">
          {percent !== undefined && `${Math.floor(percent)} %`}
          {percent !== undefined && began && ' · '}
          {began && <Elapsed since={began} />}
        </span>
      </div>
      <div
        className={`progress__track progress__track--${tone}${percent === undefined ? ' progress__track--unknown' : ''}`}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(percent !== undefined && { 'aria-valuenow': Math.floor(percent) })}
      >
        <div
          className="progress__bar"
          style={percent === undefined ? undefined : { width: `${Math.min(100, Math.max(0, percent))}%` }}
        />
      </div>
    </div>
  );
};

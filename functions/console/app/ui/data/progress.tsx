interface ProgressProps {
  /** Read aloud; says what progresses. */
  readonly label: string;
  /** 0 to 100; undefined if it is unknown. */
  readonly percent: number | undefined;
  readonly tone?: 'accent' | 'good' | 'bad';
}

export const Progress = ({ label, percent, tone = 'accent' }: ProgressProps) => (
  <div
    className={`progress progress--${tone}${percent === undefined ? ' progress--unknown' : ''}`}
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    {...(percent !== undefined && { 'aria-valuenow': Math.round(percent) })}
  >
    <div
      className="progress__bar"
      style={percent === undefined ? undefined : { width: `${Math.min(100, Math.max(0, percent))}%` }}
    />
  </div>
);

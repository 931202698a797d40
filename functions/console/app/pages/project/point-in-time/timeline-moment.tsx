import { formatUtc, ownTimeZone } from '../../../format/format-time.ts';
import { toLocalInput } from '../../../format/local-time.ts';
import { Button } from '../../../ui/form/button.tsx';
import { Input } from '../../../ui/form/field.tsx';
import type { Span } from './coverage.ts';

interface TimelineMomentProps {
  readonly at: number | undefined;
  /** The last moment of which everything is known. */
  readonly latest: number | undefined;
  readonly extent: Span;
  readonly onPick: (at: number) => void;
}

const nudges = [
  ['−1 min', -60_000, 'One minute earlier'],
  ['−1 s', -1_000, 'One second earlier'],
  ['+1 s', 1_000, 'One second later'],
  ['+1 min', 60_000, 'One minute later'],
] as const;

/** A moment down to the second, in the person's time zone. */
export const TimelineMoment = ({ at, latest, extent, onPick }: TimelineMomentProps) => {
  const moment = at ?? latest ?? extent.to;
  const type = (text: string): void => {
    const typed = new Date(text).getTime();
    if (!Number.isNaN(typed)) onPick(typed);
  };
  return (
    <div className="stack stack--tight">
      <Input
        label="Moment"
        hint={
          <>
            {ownTimeZone()} · {formatUtc(new Date(moment))}
          </>
        }
        type="datetime-local"
        step={1}
        value={toLocalInput(moment)}
        min={toLocalInput(extent.from)}
        max={toLocalInput(extent.to)}
        onChange={({ target }) => type(target.value)}
      />
      <div className="row">
        {nudges.map(([label, byMs, words]) => (
          <Button key={label} size="small" title={words} onClick={() => onPick(moment + byMs)}>
            {label}
          </Button>
        ))}
        <Button
          size="small"
          disabledReason={latest === undefined ? 'Nothing can be restored yet' : undefined}
          onClick={() => latest !== undefined && onPick(latest)}
        >
          Latest complete
        </Button>
      </div>
    </div>
  );
};

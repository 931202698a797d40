import { useState } from 'react';
import { endOfDay, isDay, startOfDay } from '../format/day-range.ts';
import { formatUtc, ownTimeZone } from '../format/format-time.ts';
import { Input } from '../ui/form/field.tsx';
import { Tooltip } from '../ui/tooltip.tsx';

interface DayFieldProps {
  readonly label: string;
  readonly name: 'from' | 'to';
  readonly day: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

/** A day of a filter, in the person's time zone; hover shows the moment in UTC. */
export const DayField = ({ label, name, day, onChange }: DayFieldProps) => {
  // A year that is half typed is a day already: the address follows, and must neither set the field back nor replace it.
  const [typed, setTyped] = useState<string>();
  const moment = isDay(day)
    ? formatUtc(new Date(name === 'from' ? startOfDay(day) : endOfDay(day)))
    : `A day in ${ownTimeZone()}`;
  return (
    <Tooltip text={moment}>
      <div>
        <Input
          type="date"
          label={label}
          value={typed ?? day ?? ''}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(target.value || undefined);
          }}
          onBlur={() => setTyped(undefined)}
        />
      </div>
    </Tooltip>
  );
};

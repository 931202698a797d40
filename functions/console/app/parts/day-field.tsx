import { endOfDay, isDay, startOfDay } from '../format/day-range.ts';
import { formatUtc } from '../format/format-time.ts';
import { Input } from '../ui/form/field.tsx';
import { Tooltip } from '../ui/overlay/tooltip.tsx';

interface DayFieldProps {
  readonly label: string;
  readonly name: 'from' | 'to';
  readonly day: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

/** A day of a filter, in the person's time zone; hover shows the moment in UTC. */
export const DayField = ({ label, name, day, onChange }: DayFieldProps) => {
  const field = (
    <div>
      <Input type="date" label={label} value={day ?? ''} onChange={({ target }) => onChange(target.value || undefined)} />
    </div>
  );
  if (!isDay(day)) return field;
  return <Tooltip text={formatUtc(new Date(name === 'from' ? startOfDay(day) : endOfDay(day)))}>{field}</Tooltip>;
};

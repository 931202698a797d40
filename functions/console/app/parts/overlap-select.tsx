import { Select } from '../ui/form/field.tsx';

interface OverlapSelectProps {
  readonly label: string;
  /** The choice without an overlap. */
  readonly stopNow: string;
  readonly hours: number;
  readonly onChange: (hours: number) => void;
}

export const defaultOverlapHours = 24;

const overlaps = [
  [1, 'For 1 hour'],
  [defaultOverlapHours, 'For 24 hours'],
  [168, 'For 7 days'],
] as const;

/** How long an old key or secret stays valid beside the new one. */
export const OverlapSelect = ({ label, stopNow, hours, onChange }: OverlapSelectProps) => (
  <Select label={label} value={hours} onChange={({ target }) => onChange(Number(target.value))}>
    <option value={0}>{stopNow}</option>
    {overlaps.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </Select>
);

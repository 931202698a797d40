import { useMemo } from 'react';
import { ownTimeZone } from '../../format/format-time.ts';
import { Select } from '../../ui/form/field.tsx';

interface TimeZoneFieldProps {
  readonly value: string;
  readonly onChange: (timezone: string) => void;
  readonly error?: string | undefined;
}

/** All zones that the browser knows; the person's own and UTC come first. */
export const TimeZoneField = ({ value, onChange, error }: TimeZoneFieldProps) => {
  const first = useMemo(() => [...new Set([value, ownTimeZone(), 'UTC'])], [value]);
  const others = useMemo(() => Intl.supportedValuesOf('timeZone').filter((zone) => !first.includes(zone)), [first]);
  return (
    <Select label="Time zone" value={value} onChange={({ target }) => onChange(target.value)} error={error}>
      <optgroup label="Often used">
        {first.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </optgroup>
      <optgroup label="All">
        {others.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </optgroup>
    </Select>
  );
};

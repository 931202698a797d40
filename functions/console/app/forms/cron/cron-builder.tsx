import { Input, Select } from '../../ui/form/field.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { type CronChoice, cronOf, everyHours, monthDays, weekdayNames, weekdays } from './cron-choice.ts';

interface CronBuilderProps {
  readonly choice: CronChoice;
  readonly onChange: (choice: CronChoice) => void;
  readonly error?: string | undefined;
}

const kinds = [
  ['hourly', 'Hourly'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly'],
  ['custom', 'Custom'],
] as const;

/** Keeps the time of day when the kind changes. */
const changeKind = (choice: CronChoice, kind: CronChoice['kind']): CronChoice => {
  const time = 'time' in choice ? choice.time : '02:30';
  switch (kind) {
    case 'hourly':
      return { kind, every: 1, minute: 0 };
    case 'daily':
      return { kind, time };
    case 'weekly':
      return { kind, time, weekdays: [0] };
    case 'monthly':
      return { kind, time, day: 1 };
    default:
      return { kind, cron: cronOf(choice) };
  }
};

export const CronBuilder = ({ choice, onChange, error }: CronBuilderProps) => (
  <div className="stack stack--medium">
    <Segments
      label="How often"
      value={choice.kind}
      options={kinds}
      onChange={(kind) => kind !== choice.kind && onChange(changeKind(choice, kind))}
    />
    <div className="cron__fields">
      {choice.kind === 'hourly' && (
        <>
          <Select
            label="Every"
            value={choice.every}
            onChange={({ target }) => onChange({ ...choice, every: Number(target.value) })}
          >
            {everyHours.map((hours) => (
              <option key={hours} value={hours}>
                {hours === 1 ? 'hour' : `${hours} hours`}
              </option>
            ))}
          </Select>
          <Input
            label="At minute"
            type="number"
            min={0}
            max={59}
            value={choice.minute}
            onChange={({ target }) => onChange({ ...choice, minute: Math.min(59, Math.max(0, Number(target.value))) })}
          />
        </>
      )}
      {choice.kind === 'weekly' && (
        <WeekdayPicker chosen={choice.weekdays} onChange={(chosen) => onChange({ ...choice, weekdays: chosen })} />
      )}
      {choice.kind === 'monthly' && (
        <Select
          label="Day of the month"
          value={choice.day}
          onChange={({ target }) => onChange({ ...choice, day: Number(target.value) })}
        >
          {monthDays.map((day) => (
            <option key={day}>{day}</option>
          ))}
        </Select>
      )}
      {'time' in choice && (
        <Input
          label="At"
          type="time"
          required
          value={choice.time}
          onChange={({ target }) => target.value && onChange({ ...choice, time: target.value })}
        />
      )}
      {choice.kind === 'custom' && (
        <Input
          label="Cron expression"
          hint="Minute, hour, day of month, month, day of week, as in crontab. At least 5 minutes between runs."
          mono
          required
          spellCheck={false}
          value={choice.cron}
          onChange={({ target }) => onChange({ ...choice, cron: target.value })}
          error={error}
        />
      )}
    </div>
    {choice.kind !== 'custom' && (
      <p className="small muted">
        Cron expression <code>{cronOf(choice)}</code>
      </p>
    )}
  </div>
);

interface WeekdayPickerProps {
  readonly chosen: readonly number[];
  readonly onChange: (chosen: readonly number[]) => void;
}

/** At least one day stays chosen. */
const WeekdayPicker = ({ chosen, onChange }: WeekdayPickerProps) => (
  <fieldset className="weekdays">
    <legend>On</legend>
    {weekdays.map((day) => {
      const isOn = chosen.includes(day);
      const next = isOn ? chosen.filter((one) => one !== day) : [...chosen, day];
      return (
        <button
          key={day}
          type="button"
          className="weekdays__day"
          aria-pressed={isOn}
          title={weekdayNames[day]}
          onClick={() => next.length > 0 && onChange(next)}
        >
          {weekdayNames[day]?.slice(0, 3)}
        </button>
      );
    })}
  </fieldset>
);

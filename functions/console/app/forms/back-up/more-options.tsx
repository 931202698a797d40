import { Checkbox, Input } from '../../ui/form/field.tsx';

export interface Options {
  readonly users: boolean;
  /** Read the database even if its changes are captured. */
  readonly read: boolean;
  /** As typed; empty keeps the backup until someone deletes it. */
  readonly days: string;
}

const daysMax = 3_650;
const daysOf = (text: string): number | undefined => (/^\d+$/.test(text.trim()) ? Number(text) : undefined);
const isValid = (text: string): boolean => {
  const days = daysOf(text);
  return text.trim() === '' || (days !== undefined && days >= 1 && days <= daysMax);
};

export const optionsOf = ({ users, days, read }: Options) => ({
  ...(read && { source: 'read' as const }),
  ...(users && { includeAuthUsers: true }),
  ...(isValid(days) && daysOf(days) !== undefined && { retention: daysOf(days) as number }),
});

interface MoreOptionsProps {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}

export const MoreOptions = ({ options, onChange }: MoreOptionsProps) => (
  <details className="back-up__more">
    <summary>More options</summary>
    <div className="stack">
      <Input
        label="Delete it after"
        optional
        inputMode="numeric"
        placeholder="Keep until someone deletes it"
        hint="Days, 1 to 3,650."
        value={options.days}
        error={isValid(options.days) ? undefined : 'Must be a whole number from 1 to 3650'}
        onChange={({ target }) => onChange({ ...options, days: target.value })}
      />
      <Checkbox
        label="Include the users of Firebase Authentication"
        hint="With their password hashes, so that they can sign in after a restore."
        checked={options.users}
        onChange={({ target }) => onChange({ ...options, users: target.checked })}
      />
      <Checkbox
        label="Read every document from the database"
        hint="Otherwise a project whose changes are captured is backed up from them, at next to no cost."
        checked={options.read}
        onChange={({ target }) => onChange({ ...options, read: target.checked })}
      />
    </div>
  </details>
);

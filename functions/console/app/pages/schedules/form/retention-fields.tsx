import { retentionCountMax, retentionDaysMax } from '../../../../../../shared/contract/limits.ts';
import { Input } from '../../../ui/form/field.tsx';
import { Segments } from '../../../ui/layout/tabs.tsx';
import type { Retention } from '../preview/simulate-retention.ts';
import { defaultPolicy } from './draft.ts';

interface RetentionFieldsProps {
  readonly retention: Retention;
  readonly onChange: (retention: Retention) => void;
  readonly error?: string | undefined;
}

const kinds = [
  ['policy', 'Thin out over time'],
  ['days', 'By age'],
  ['forever', 'Forever'],
] as const;

const counts = [
  ['daily', 'Days'],
  ['weekly', 'Weeks'],
  ['monthly', 'Months'],
  ['yearly', 'Years'],
] as const;

const changeKind = (kind: Retention['kind']): Retention => {
  if (kind === 'policy') return { kind, policy: defaultPolicy };
  return kind === 'days' ? { kind, days: 30 } : { kind };
};

const wholeNumber = (text: string, max: number): number => Math.min(max, Math.max(0, Math.floor(Number(text)) || 0));

export const RetentionFields = ({ retention, onChange, error }: RetentionFieldsProps) => (
  <div className="stack">
    <Segments
      label="How long backups are kept"
      value={retention.kind}
      options={kinds}
      onChange={(kind) => kind !== retention.kind && onChange(changeKind(kind))}
    />
    {retention.kind === 'policy' && (
      <fieldset className="counts">
        <legend>Keep the last backup of each of the last</legend>
        {counts.map(([kind, label]) => (
          <Input
            key={kind}
            label={label}
            type="number"
            min={0}
            max={retentionCountMax}
            value={retention.policy[kind]}
            onChange={({ target }) =>
              onChange({ ...retention, policy: { ...retention.policy, [kind]: wholeNumber(target.value, retentionCountMax) } })
            }
          />
        ))}
      </fieldset>
    )}
    {retention.kind === 'days' && (
      <div className="counts">
        <Input
          label="Days"
          type="number"
          min={1}
          max={retentionDaysMax}
          value={retention.days || ''}
          onChange={({ target }) => onChange({ kind: 'days', days: wholeNumber(target.value, retentionDaysMax) })}
        />
      </div>
    )}
    {error && <p className="field__error">{error}</p>}
  </div>
);

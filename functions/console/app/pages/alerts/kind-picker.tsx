import { type AlertKind, alertKinds, severityOfKind } from '../../../../../shared/contract/models/alert-enums.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Checkbox } from '../../ui/form/field.tsx';
import { kindWords, severityWords } from './alert-words.ts';

interface KindPickerProps {
  readonly value: readonly AlertKind[];
  readonly onChange: (kinds: readonly AlertKind[]) => void;
  readonly error: string | undefined;
}

/** All kinds of incidents, or some. An empty list means all. */
export const KindPicker = ({ value, onChange, error }: KindPickerProps) => {
  const toggle = (kind: AlertKind, isChosen: boolean): void =>
    onChange(alertKinds.filter((one) => (one === kind ? isChosen : value.includes(one))));
  return (
    <fieldset className="stack stack--medium">
      <legend className="field__label">What it reports</legend>
      <Checkbox
        label="All kinds of incidents, also future ones"
        checked={value.length === 0}
        onChange={({ target }) => onChange(target.checked ? [] : ['backup_failed', 'protection_lapsed'])}
      />
      {value.length > 0 && (
        <div className="stack stack--medium boxed">
          {alertKinds.map((kind) => {
            const [label, hint] = kindWords[kind];
            const [word, tone] = severityWords[severityOfKind[kind]];
            return (
              <Checkbox
                key={kind}
                label={
                  <span className="row">
                    {label} <Badge tone={tone}>{word}</Badge>
                  </span>
                }
                hint={hint}
                checked={value.includes(kind)}
                onChange={({ target }) => toggle(kind, target.checked)}
              />
            );
          })}
        </div>
      )}
      {error && <div className="field__error">{error}</div>}
    </fieldset>
  );
};

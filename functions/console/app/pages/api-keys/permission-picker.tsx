import { type Scope, scopes } from '../../../../../shared/contract/access.ts';
import { Checkbox } from '../../ui/form/field.tsx';

interface PermissionPickerProps {
  readonly value: readonly Scope[];
  readonly onChange: (permissions: readonly Scope[]) => void;
  readonly hint?: string | undefined;
}

const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] as string))];

/** The scopes of a key, by what they concern. */
export const PermissionPicker = ({ value, onChange, hint }: PermissionPickerProps) => {
  const toggle = (scope: Scope, isGiven: boolean): void =>
    onChange(scopes.filter((one) => (one === scope ? isGiven : value.includes(one))));
  return (
    <fieldset className="stack stack--tight">
      <legend className="field__label">Permissions</legend>
      {resources.map((resource) => (
        <div key={resource} className="api-keys__scope">
          <span>
            <span className="api-keys__resource">{resource}</span>
            {resource === 'erasures' && <span className="field__hint"> cannot be undone; not part of projects</span>}
          </span>
          {scopes
            .filter((scope) => scope.startsWith(`${resource}:`))
            .map((scope) => (
              <Checkbox
                key={scope}
                label={scope.endsWith(':read') ? 'Read' : 'Write'}
                aria-label={scope}
                checked={value.includes(scope)}
                onChange={({ target }) => toggle(scope, target.checked)}
              />
            ))}
        </div>
      ))}
      {hint && <div className="field__hint">{hint}</div>}
    </fieldset>
  );
};

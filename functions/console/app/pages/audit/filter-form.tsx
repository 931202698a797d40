import { type AuditAction, auditActions } from '../../../../../shared/contract/audit-actions.ts';
import { DayField } from '../../parts/day-field.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Select } from '../../ui/form/field.tsx';
import { type AuditSearch, filterNames } from './audit-filters.ts';
import { actionName, groupName, resourceTypes } from './audit-words.ts';

interface FilterFormProps {
  readonly search: AuditSearch;
  readonly onChange: (change: AuditSearch) => void;
}

/** Days begin at midnight in the person's time zone. */
export const FilterForm = ({ search, onChange }: FilterFormProps) => {
  const isFiltered = filterNames.some((name) => search[name] !== undefined);
  const isKnown = auditActions.some(([, actions]) => actions.includes(search.action as AuditAction));
  return (
    <search className="filters" aria-label="Filters">
      <Select
        label="Action"
        value={search.action ?? ''}
        onChange={({ target }) => onChange({ action: target.value || undefined })}
      >
        <option value="">All actions</option>
        {search.action && !isKnown && <option>{search.action}</option>}
        {auditActions.map(([group, actions]) => (
          <optgroup key={group} label={groupName(group)}>
            {actions.map((action) => (
              <option key={action} value={action}>
                {actionName(action)}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      <Select
        label="Resource"
        value={search.resourceType ?? ''}
        onChange={({ target }) => onChange({ resourceType: target.value || undefined })}
      >
        <option value="">All resources</option>
        {resourceTypes.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <DayField label="From" name="from" day={search.from} onChange={(from) => onChange({ from })} />
      <DayField label="To" name="to" day={search.to} onChange={(to) => onChange({ to })} />
      {isFiltered && (
        <Button
          variant="quiet"
          icon="close"
          onClick={() => onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </search>
  );
};

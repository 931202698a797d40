import { useEffect, useState } from 'react';
import { type AuditAction, auditActions } from '../../../../../shared/contract/audit-actions.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { useApiKeys } from '../../data/api-keys.ts';
import type { AuditEntry } from '../../data/audit.ts';
import { actionName, actorName, groupName, resourceTypes } from '../../data/audit-words.ts';
import { useMembers } from '../../data/team.ts';
import { DayField } from '../../parts/day-field.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input, Select } from '../../ui/form/field.tsx';
import { type AuditSearch, filterNames } from './audit-filters.ts';

interface FilterFormProps {
  readonly search: AuditSearch;
  /** The entries on the page: their actors can be chosen, members or not. */
  readonly entries: readonly AuditEntry[];
  readonly onChange: (change: AuditSearch) => void;
}

/** Days begin at midnight in the person's time zone. */
export const FilterForm = ({ search, entries, onChange }: FilterFormProps) => {
  const isFiltered = filterNames.some((name) => search[name] !== undefined);
  const isKnown = auditActions.some(([, actions]) => actions.includes(search.action as AuditAction));
  const clear = (): void => onChange(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <search className="filters" aria-label="Filters">
      <TextField text={search.search} onChange={(text) => onChange({ search: text })} />
      <Select
        label="Person"
        value={search.actorId ?? ''}
        onChange={({ target }) => onChange({ actorId: target.value || undefined })}
      >
        <option value="">Everyone</option>
        {useActors(entries, search.actorId).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
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
      {search.resourceId && (
        <Button icon="close" title={search.resourceId} onClick={() => onChange({ resourceId: undefined })}>
          One resource
        </Button>
      )}
      {isFiltered && (
        <Button variant="quiet" icon="close" onClick={clear}>
          Clear
        </Button>
      )}
    </search>
  );
};

/** Everyone who can be chosen, as id and name: members, API keys, and the actors of the entries on the page. */
const useActors = (entries: readonly AuditEntry[], chosen: string | undefined): readonly (readonly [string, string])[] => {
  const { items: members = [] } = useMembers(true);
  const { items: keys = [] } = useApiKeys(true);
  const actors = new Map([
    ...(chosen ? [[chosen, chosen] as const] : []),
    ...entries.map(({ actor }) => [actor.id, actorName(actor)] as const),
    ...keys.map(({ id, name }) => [id, `API key ${name}`] as const),
    ...members.map(({ userId, email }) => [userId, email] as const),
  ]);
  return [...actors].toSorted(([, one], [, other]) => one.localeCompare(other));
};

/** The address follows once the person pauses; a change of the address, such as by Clear, replaces what was typed. */
const TextField = ({
  text = '',
  onChange,
}: {
  readonly text: string | undefined;
  readonly onChange: (text: string | undefined) => void;
}) => {
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  if (text !== known) {
    setKnown(text);
    setTyped(text);
  }
  const settled = useDebounced(typed) ?? '';
  useEffect(() => {
    if (settled === typed && settled !== known) onChange(settled || undefined);
  });
  return (
    <Input
      type="search"
      label="Text"
      placeholder="Any words"
      maxLength={200}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
};

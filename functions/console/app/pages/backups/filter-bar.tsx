import type { ReactNode } from 'react';
import { triggerWords, typeWords } from '../../data/backup-words.ts';
import type { BackupFilters } from '../../data/backups.ts';
import { useProjects } from '../../data/projects.ts';
import { endOfDay, isDay, startOfDay } from '../../format/day-range.ts';
import { DayField } from '../../parts/day-field.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox, Select } from '../../ui/form/field.tsx';

type Search = Readonly<Record<string, string | undefined>>;

const statuses = {
  pending: 'Pending',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  expired: 'Expired',
  deleted: 'Deleted',
} as const;

const names = ['project', 'status', 'type', 'trigger', 'from', 'to'] as const;
const isKnown = (text: string | undefined, words: object): boolean => text !== undefined && Object.hasOwn(words, text);

/** Filters from the search parameters; unknown values are ignored. */
export const filtersOf = ({ project, status, type, trigger, from, to, internal }: Search): BackupFilters => ({
  ...hideInternal(internal),
  ...(project !== undefined && { projectId: project }),
  ...(status === 'unusual' && { anomaly: 'unacknowledged' }),
  ...(isKnown(status, statuses) && { status: status as BackupFilters['status'] }),
  ...(isKnown(type, typeWords) && { type: type as BackupFilters['type'] }),
  ...(isKnown(trigger, triggerWords) && { trigger: trigger as BackupFilters['trigger'] }),
  ...(isDay(from) && { from: startOfDay(from) }),
  ...(isDay(to) && { to: endOfDay(to) }),
});

/** Safety backups and those built for a moment are shown if asked for. */
export const hideInternal = (internal: string | undefined): Pick<BackupFilters, 'internal'> =>
  internal === 'show' ? {} : { internal: 'exclude' };

interface InternalSwitchProps {
  readonly search: Search;
  readonly onChange: (change: Search) => void;
}

export const InternalSwitch = ({ search, onChange }: InternalSwitchProps) => (
  <Checkbox
    label="Show internal"
    title="Safety backups before restores, and backups built for a moment"
    checked={search.internal === 'show'}
    onChange={({ target }) => onChange({ internal: target.checked ? 'show' : undefined })}
  />
);

interface FilterBarProps {
  readonly search: Search;
  readonly onChange: (change: Search) => void;
}

export const BackupFilterBar = ({ search, onChange }: FilterBarProps) => {
  const { items: projects } = useProjects();
  const isFiltered = names.some((name) => search[name] !== undefined);
  const select = (
    name: (typeof names)[number],
    { label, all, options }: { readonly label: string; readonly all: string; readonly options: ReactNode },
  ) => (
    <Select label={label} value={search[name] ?? ''} onChange={({ target }) => onChange({ [name]: target.value || undefined })}>
      <option value="">{all}</option>
      {options}
    </Select>
  );
  const day = (name: 'from' | 'to', label: string) => (
    <DayField label={label} name={name} day={search[name]} onChange={(value) => onChange({ [name]: value })} />
  );
  return (
    <search className="filters" aria-label="Filters">
      {select('project', {
        label: 'Project',
        all: 'All projects',
        options: projects?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        )),
      })}
      {select('status', { label: 'Status', all: 'Any status', options: optionsOf({ ...statuses, unusual: 'Unusual changes' }) })}
      {select('type', { label: 'Type', all: 'Any type', options: optionsOf(typeWords) })}
      {select('trigger', { label: 'Started by', all: 'Any trigger', options: optionsOf(triggerWords) })}
      {day('from', 'From')}
      {day('to', 'To')}
      <InternalSwitch search={search} onChange={onChange} />
      {isFiltered && (
        <Button variant="quiet" icon="close" onClick={() => onChange(Object.fromEntries(names.map((name) => [name, undefined])))}>
          Clear
        </Button>
      )}
    </search>
  );
};

const optionsOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));

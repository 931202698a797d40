import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePermission } from '../../api/permission.ts';
import { useProjects } from '../../data/projects.ts';
import { useRestores } from '../../data/restores.ts';
import { DayField } from '../../parts/day-field.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Table } from '../../ui/data/table.tsx';
import { Button, buttonClass } from '../../ui/form/button.tsx';
import { Select } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { columns } from './restore-columns.tsx';
import { type Filters, queryOf, readFilters } from './restore-filters.ts';

export const RestoresPage = () => {
  const navigate = useNavigate();
  const filters = readFilters(useSearch({ strict: false }) as Record<string, unknown>);
  const list = useRestores({ ...queryOf(filters), limit: 50 });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const change = (changed: Filters): void =>
    void navigate({ to: paths.restores, search: { ...filters, ...changed } as never, replace: true });
  return (
    <>
      <PageHeader
        title="Restores"
        description="What was restored, when, where to and by whom. A restore can be undone for 7 days."
        actions={<NewRestore />}
      />
      <div className="stack">
        <RestoreFilters filters={filters} onChange={change} />
        <Card flush>
          <ListBody
            list={list}
            what="restores"
            empty={<NoRestores isFiltered={isFiltered} onClear={() => void navigate({ to: paths.restores, replace: true })} />}
            moreLabel="Show older restores"
          >
            <Table label="Restores" columns={columns} rows={list.items} rowKey={({ restoreJobId }) => restoreJobId} />
          </ListBody>
        </Card>
      </div>
    </>
  );
};

const NewRestore = () => {
  const { reason } = usePermission('member');
  const navigate = useNavigate();
  return (
    <Button variant="primary" icon="undo" disabledReason={reason} onClick={() => void navigate({ to: paths.restoreWizard() })}>
      New restore
    </Button>
  );
};

const NoRestores = ({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) =>
  isFiltered ? (
    <EmptyState icon="search" title="No restore matches" actions={<Button onClick={onClear}>Show all restores</Button>}>
      Change the filters to see others.
    </EmptyState>
  ) : (
    <EmptyState
      icon="undo"
      title="Nothing was restored yet"
      actions={
        <Link className={buttonClass('secondary')} to={paths.backups}>
          <Icon name="archive" /> See the backups
        </Link>
      }
    >
      Start with a backup or a point in time: you see a plan of every change before anything is written.
    </EmptyState>
  );

interface RestoreFiltersProps {
  readonly filters: Filters;
  readonly onChange: (changed: Filters) => void;
}

const statuses = [
  ['pending', 'Pending'],
  ['running', 'Running'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const;

const RestoreFilters = ({ filters, onChange }: RestoreFiltersProps) => {
  const { items: projects = [] } = useProjects();
  return (
    <search className="filters" aria-label="Filters">
      <Select
        label="Project"
        value={filters.projectId ?? ''}
        onChange={({ target }) => onChange({ projectId: target.value || undefined })}
      >
        <option value="">All projects</option>
        <RecordOptions of={projects} />
      </Select>
      <Select
        label="Status"
        value={filters.status ?? ''}
        onChange={({ target }) => onChange({ status: (target.value || undefined) as Filters['status'] })}
      >
        <option value="">Any status</option>
        {statuses.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </Select>
      <DayField label="From" name="from" day={filters.from} onChange={(from) => onChange({ from })} />
      <DayField label="To" name="to" day={filters.to} onChange={(to) => onChange({ to })} />
    </search>
  );
};

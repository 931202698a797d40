import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePermission } from '../../api/permission.ts';
import { useRestores } from '../../data/restores.ts';
import { JobFilterFields } from '../../parts/job/job-filter-fields.tsx';
import { type JobFilters, jobQueryOf, readJobFilters } from '../../parts/job/job-filters.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Table } from '../../ui/data/table.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { columns } from './restore-columns.tsx';

export const RestoresPage = () => {
  const navigate = useNavigate();
  const filters = readJobFilters(useSearch({ strict: false }) as Record<string, unknown>);
  const list = useRestores({ ...jobQueryOf(filters), limit: 50 });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const change = (changed: JobFilters): void =>
    void navigate({ to: paths.restores, search: { ...filters, ...changed } as never, replace: true });
  return (
    <>
      <PageHeader
        title="Restores"
        description="What was restored, when, where to and by whom. A restore can be undone for 7 days."
        actions={
          <>
            <ButtonLink icon="search" to={paths.findDocument()}>
              Find a document
            </ButtonLink>
            <NewRestore />
          </>
        }
      />
      <div className="stack">
        <JobFilterFields filters={filters} onChange={change} />
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
        <ButtonLink icon="archive" to={paths.backups}>
          See the backups
        </ButtonLink>
      }
    >
      Start with a backup or a point in time: you see a plan of every change before anything is written.
    </EmptyState>
  );

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePermission } from '../../api/permission.ts';
import { useExports } from '../../data/export/exports.ts';
import { JobFilterFields } from '../../parts/job/job-filter-fields.tsx';
import { type JobFilters, jobQueryOf, readJobFilters } from '../../parts/job/job-filters.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Table } from '../../ui/data/table.tsx';
import { Button, buttonClass } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { columns } from './export-columns.tsx';

export const ExportsPage = () => {
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  const filters = readJobFilters(useSearch({ strict: false }) as Record<string, unknown>);
  const list = useExports({ ...jobQueryOf(filters), limit: 50 });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const change = (changed: JobFilters): void =>
    void navigate({ to: paths.exports, search: { ...filters, ...changed } as never, replace: true });
  return (
    <>
      <PageHeader
        title="Exports"
        description="Backups and points in time as files that other tools read, in your own buckets."
        actions={
          <ButtonLink variant="primary" icon="download" to={paths.newExport()} disabledReason={reason}>
            New export
          </ButtonLink>
        }
      />
      <div className="stack">
        <JobFilterFields filters={filters} onChange={change} />
        <Card flush>
          <ListBody
            list={list}
            what="exports"
            empty={<NoExports isFiltered={isFiltered} onClear={() => void navigate({ to: paths.exports, replace: true })} />}
            moreLabel="Show older exports"
          >
            <Table label="Exports" columns={columns} rows={list.items} rowKey={({ id }) => id} />
          </ListBody>
        </Card>
      </div>
    </>
  );
};

const NoExports = ({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) =>
  isFiltered ? (
    <EmptyState icon="search" title="No export matches" actions={<Button onClick={onClear}>Show all exports</Button>}>
      Change the filters to see others.
    </EmptyState>
  ) : (
    <EmptyState
      icon="download"
      title="Nothing was exported yet"
      actions={
        <Link className={buttonClass('secondary')} to={paths.backups}>
          <Icon name="archive" /> See the backups
        </Link>
      }
    >
      An export writes the documents of a backup or a point in time into one of your buckets, as NDJSON, CSV, Parquet or in
      Google’s own format. Start one here, or in the menu of a backup: you see a plan before anything is written.
    </EmptyState>
  );

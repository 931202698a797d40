import { usePermission } from '../../api/permission.ts';
import { useBackups } from '../../data/backups.ts';
import { useProjects } from '../../data/projects.ts';
import { BackUpDialog } from '../../forms/back-up/back-up-dialog.tsx';
import { backupColumns } from '../../parts/backup-columns.tsx';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useSearchParams } from '../../use-search.ts';
import { BackupList } from './backup-list.tsx';
import { BackupFilterBar, filtersOf } from './filter-bar.tsx';

export const BackupsPage = () => {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const list = useBackups(filters);
  const { items: projects } = useProjects();
  const { reason } = usePermission('member');
  const isFiltered = Object.keys(filters).some((name) => name !== 'internal');
  const noProject = projects?.length === 0 ? 'Connect a project first.' : undefined;
  const startButton = (
    <Button
      variant="primary"
      icon="plus"
      disabledReason={reason ?? noProject}
      onClick={() => setSearch({ start: search.project ?? 'new' })}
    >
      Back up now
    </Button>
  );
  return (
    <>
      <PageHeader title="Backups" description="Every backup of this organization, newest first." actions={startButton} />
      {(isFiltered || list.items?.length !== 0) && (
        <BackupFilterBar search={search} onChange={(change) => setSearch(change, { replace: true })} />
      )}
      <BackupList
        label="Backups"
        list={list}
        columns={backupColumns}
        empty={<NoBackups isFiltered={isFiltered} hasProjects={noProject === undefined} />}
      />
      {search.start !== undefined && reason === undefined && (
        <BackUpDialog
          key={search.start}
          projectId={search.start === 'new' ? undefined : search.start}
          onClose={() => setSearch({ start: undefined }, { replace: true })}
        />
      )}
    </>
  );
};

const NoBackups = ({ isFiltered, hasProjects }: { readonly isFiltered: boolean; readonly hasProjects: boolean }) => {
  if (isFiltered)
    return (
      <EmptyState
        icon="search"
        title="No backup matches these filters"
        actions={<ButtonLink to={paths.backups}>Show all</ButtonLink>}
      >
        Expired and deleted backups appear only if you choose that status.
      </EmptyState>
    );
  if (!hasProjects)
    return (
      <EmptyState
        icon="database"
        title="Nothing to back up yet"
        actions={
          <ButtonLink to={paths.connectProject} variant="primary">
            Connect a project
          </ButtonLink>
        }
      >
        Connect the Firestore project that you want to protect. Then back it up from here, or let a schedule do it.
      </EmptyState>
    );
  return (
    <EmptyState title="No backups yet" actions={<ButtonLink to={paths.schedules}>Add a schedule</ButtonLink>}>
      Choose “Back up now” for the first one: you see what it will read and cost before it starts. A schedule then keeps it up to
      date.
    </EmptyState>
  );
};

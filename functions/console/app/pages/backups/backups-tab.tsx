import { useBackups } from '../../data/backups.ts';
import { projectBackupColumns } from '../../parts/backup-columns.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Table } from '../../ui/data/table.tsx';
import { LoadMore } from '../../ui/layout/load-more.tsx';
import { useParam } from '../../use-param.ts';

/** The backups of one project, as a tab of its page. */
export const BackupsTab = () => {
  const { items, query } = useBackups({ projectId: useParam('projectId') });
  if (query.error && !items)
    return <ErrorNotice error={query.error} title="The backups could not be loaded" onRetry={() => void query.refetch()} />;
  return (
    <Card flush>
      {items?.length === 0 ? (
        <EmptyState icon="archive" title="No backups yet">
          Back up now with the button above, or let a schedule do it every day.
        </EmptyState>
      ) : (
        <>
          <Table label="Backups of this project" rows={items} rowKey={({ id }) => id} columns={projectBackupColumns} />
          <LoadMore query={query} />
        </>
      )}
    </Card>
  );
};

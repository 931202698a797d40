import { useBackups } from '../../data/backups.ts';
import { projectBackupColumns } from '../../parts/backup-columns.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Table } from '../../ui/data/table.tsx';
import { useParam } from '../../use-param.ts';

/** The backups of one project, as a tab of its page. */
export const BackupsTab = () => {
  const list = useBackups({ projectId: useParam('projectId') });
  return (
    <Card flush>
      <ListBody
        list={list}
        what="backups"
        empty={
          <EmptyState icon="archive" title="No backups yet">
            Back up now with the button above, or let a schedule do it every day.
          </EmptyState>
        }
      >
        <Table label="Backups of this project" rows={list.items} rowKey={({ id }) => id} columns={projectBackupColumns} />
      </ListBody>
    </Card>
  );
};

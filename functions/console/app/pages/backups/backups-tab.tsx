import { useBackups } from '../../data/backups.ts';
import { projectBackupColumns } from '../../parts/backup-columns.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { useParam } from '../../use-param.ts';
import { useSearchParams } from '../../use-search.ts';
import { BackupList } from './backup-list.tsx';
import { hideInternal, InternalSwitch } from './filter-bar.tsx';

/** The backups of one project, as a tab of its page. */
export const BackupsTab = () => {
  const [search, setSearch] = useSearchParams();
  const list = useBackups({ projectId: useParam('projectId'), ...hideInternal(search.internal) });
  return (
    <div className="stack">
      <InternalSwitch search={search} onChange={(change) => setSearch(change, { replace: true })} />
      <BackupList
        label="Backups of this project"
        list={list}
        columns={projectBackupColumns}
        empty={
          <EmptyState icon="archive" title="No backups yet">
            Back up now with the button above, or let a schedule do it every day.
          </EmptyState>
        }
      />
    </div>
  );
};

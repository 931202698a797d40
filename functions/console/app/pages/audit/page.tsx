import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type AuditEntry, useAuditLog, useExportAuditLog } from '../../data/audit.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Menu, MenuItem } from '../../ui/overlay/menu.tsx';
import { useSearchParams } from '../../use-search.ts';
import { filtersOf } from './audit-filters.ts';
import { actionName, actorName } from './audit-words.ts';
import { EntryDialog } from './entry-dialog.tsx';
import { FilterForm } from './filter-form.tsx';

export const AuditPage = () => {
  const { isAllowed, reason } = usePermission('admin');
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const list = useAuditLog(filters, isAllowed);
  const download = useExportAuditLog(filters);
  const [shown, setShown] = useState<AuditEntry>();
  const columns: readonly Column<AuditEntry>[] = [
    {
      key: 'action',
      label: 'What',
      isTitle: true,
      cell: (entry) => (
        <button type="button" className="link-button" onClick={() => setShown(entry)}>
          {actionName(entry.action)}
        </button>
      ),
    },
    {
      key: 'actor',
      label: 'Who',
      cell: ({ actor }) => (
        <span className="audit__cell truncate" title={actorName(actor)}>
          {actorName(actor)}
        </span>
      ),
    },
    {
      key: 'resource',
      label: 'Resource',
      cell: ({ resource }) => (
        <code className="audit__cell truncate" title={resource.id}>
          {resource.id}
        </code>
      ),
    },
    { key: 'ip', label: 'IP address', cell: ({ context }) => context.ip ?? <span className="muted">–</span> },
    { key: 'time', label: 'When', cell: ({ timestamp }) => <Time at={timestamp} /> },
  ];
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who did what, when and from where. Entries cannot be changed or deleted."
        actions={
          <Menu
            trigger={
              <Button icon="download" busy={download.isPending} disabledReason={reason}>
                Export…
              </Button>
            }
          >
            <MenuItem onSelect={() => download.mutate('csv')}>As CSV</MenuItem>
            <MenuItem onSelect={() => download.mutate('json')}>As JSON</MenuItem>
          </Menu>
        }
      />
      {isAllowed ? (
        <div className="stack">
          <FilterForm search={search} onChange={(change) => setSearch(change, { replace: true })} />
          <Card flush>
            <ListBody
              list={list}
              what="audit entries"
              empty={
                <EmptyState icon="list" title={isFiltered ? 'No entries match' : 'No entries yet'}>
                  {isFiltered ? 'Choose a longer time or fewer filters.' : 'Every change of this organization appears here.'}
                </EmptyState>
              }
            >
              <Table label="Audit log" columns={columns} rows={list.items} rowKey={({ id }) => id} />
            </ListBody>
          </Card>
        </div>
      ) : (
        <Notice title="Only admins and the owner can see the audit log">Ask one of them if you need to know who did what.</Notice>
      )}
      {shown && <EntryDialog entry={shown} onClose={() => setShown(undefined)} />}
    </>
  );
};

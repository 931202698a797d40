import { Link } from '@tanstack/react-router';
import { usePermission } from '../../api/permission.ts';
import { type AuditEntry, useAuditEntry, useAuditLog, useExportAuditLog } from '../../data/audit.ts';
import { actionName, actorName, groupName, isFailure } from '../../data/audit-words.ts';
import { useResourceNames } from '../../data/use-resource-names.ts';
import { Card } from '../../ui/data/card.tsx';
import { Email } from '../../ui/data/email.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { None } from '../../ui/data/none.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Menu, MenuItem } from '../../ui/overlay/menu.tsx';
import { useSearchParams } from '../../use-search.ts';
import { filterNames, filtersOf } from './audit-filters.ts';
import { EntryDialog } from './entry-dialog.tsx';
import { FilterForm } from './filter-form.tsx';

export const AuditPage = () => {
  const { isAllowed, reason } = usePermission('admin');
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const list = useAuditLog(filters, isAllowed);
  const download = useExportAuditLog(filters);
  const nameOf = useResourceNames(isAllowed);
  const listed = list.items?.find(({ id }) => id === search.entry);
  const found = useAuditEntry(search.entry, isAllowed && !listed && list.items !== undefined);
  const shown = listed ?? found;
  const columns: readonly Column<AuditEntry>[] = [
    {
      key: 'action',
      label: 'What',
      isTitle: true,
      cell: (entry) => (
        <span className="row">
          <button type="button" className="link-button" onClick={() => setSearch({ entry: entry.id })}>
            {actionName(entry.action)}
          </button>
          {isFailure(entry.action) && (
            <span className="bad">
              <Icon name="alert" size={14} />
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'actor',
      label: 'Who',
      cell: ({ actor }) => (
        <span className="audit__cell audit__who truncate" title={actorName(actor)}>
          <Email text={actorName(actor)} />
        </span>
      ),
    },
    {
      key: 'resource',
      label: 'Resource',
      cell: (entry) => {
        const { name, path } = nameOf(entry);
        const group = groupName(entry.resource.type);
        const [actionGroup = ''] = actionName(entry.action).split(':');
        return (
          <span className="audit__cell" title={entry.resource.id}>
            <span className="audit__name truncate">{path ? <Link to={path}>{name}</Link> : name}</span>
            {!name.startsWith(group) && !group.startsWith(actionGroup) && <span className="muted small">{group}</span>}
          </span>
        );
      },
    },
    { key: 'ip', label: 'IP address', cell: ({ context }) => context.ip ?? <None /> },
    { key: 'time', label: 'When', cell: ({ timestamp }) => <Time at={timestamp} seconds /> },
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
          <FilterForm search={search} entries={list.items ?? []} onChange={(change) => setSearch(change, { replace: true })} />
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
      {isAllowed && search.entry && (
        <EntryDialog
          entry={shown}
          resource={shown ? nameOf(shown) : undefined}
          onFilter={(filters) =>
            setSearch({ ...Object.fromEntries(filterNames.map((name) => [name, undefined])), ...filters, entry: undefined })
          }
          onClose={() => setSearch({ entry: undefined }, { replace: true })}
        />
      )}
    </>
  );
};

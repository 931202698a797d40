import { useDeletedOrganizations, useRecoverOrganization } from '../data/organization.ts';
import { Card } from '../ui/data/card.tsx';
import { ErrorNotice } from '../ui/data/error-notice.tsx';
import { type Column, Table } from '../ui/data/table.tsx';
import { Time } from '../ui/data/time.tsx';
import { Button } from '../ui/form/button.tsx';

type Deleted = NonNullable<ReturnType<typeof useDeletedOrganizations>['data']>[number];

/** Shown only if the person has deleted organizations that can be recovered. */
export const RecoverCard = () => {
  const { data, error, refetch } = useDeletedOrganizations();
  const recover = useRecoverOrganization();
  if (error && !data)
    return <ErrorNotice error={error} title="Deleted organizations could not be loaded" onRetry={() => void refetch()} />;
  if (!data || data.length === 0) return null;
  const failure = recover.error && <ErrorNotice error={recover.error} title="The organization could not be recovered" />;
  const columns: readonly Column<Deleted>[] = [
    { key: 'name', label: 'Organization', isTitle: true, cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
    { key: 'deleted', label: 'Deleted', cell: ({ deletedAt }) => <Time at={deletedAt} relative /> },
    { key: 'until', label: 'Recoverable until', cell: ({ recoveryDeadline }) => <Time at={recoveryDeadline} /> },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: ({ id }) => (
        <Button size="small" icon="undo" busy={recover.isPending && recover.variables === id} onClick={() => recover.mutate(id)}>
          Recover
        </Button>
      ),
    },
  ];
  return (
    <Card title="Deleted organizations" description="You own these and can bring them back." flush>
      {failure}
      <Table label="Deleted organizations" columns={columns} rows={data} rowKey={({ id }) => id} />
    </Card>
  );
};

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { type Erasure, useErasures } from '../../../data/erasure/erasures.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { ErasureDialog } from '../../../parts/erasure-dialog.tsx';
import { paths } from '../../../paths.ts';
import { Badge, Status } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { ListBody } from '../../../ui/data/list-body.tsx';
import { type Column, Table } from '../../../ui/data/table.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { useParam } from '../../../use-param.ts';

const whatOf = ({ query, pathCount }: Erasure): string =>
  query ? `${query.collection ?? 'All collections'}: ${query.field} = …` : formatPlural(pathCount, 'path');

/** Which backup still holds the documents, or since when none does. */
const Held = ({ erasure: { status, documentsFound, lastHeldBackupId, expiredAt } }: { readonly erasure: Erasure }) => {
  if (status === 'resolving' || documentsFound === null) return <>Searching the backups…</>;
  if (status === 'expired' && expiredAt !== null)
    return (
      <>
        In no backup since <Time at={expiredAt} />
      </>
    );
  if (lastHeldBackupId === null) return <>Found in no backup</>;
  return (
    <>
      {formatPlural(documentsFound, 'document')} in{' '}
      <Link to={paths.backup(lastHeldBackupId)}>the last backup that holds them</Link>
    </>
  );
};

const columns: readonly Column<Erasure>[] = [
  { key: 'what', label: 'Documents', isTitle: true, cell: (erasure) => <span className="wrap-anywhere">{whatOf(erasure)}</span> },
  { key: 'reason', label: 'Reason', cell: ({ reason }) => <span className="wrap-anywhere">{reason}</span> },
  { key: 'created', label: 'Erased', cell: ({ createdAt }) => <Time at={createdAt} relative /> },
  { key: 'held', label: 'Still held', cell: (erasure) => <Held erasure={erasure} /> },
  {
    key: 'status',
    label: 'Status',
    cell: ({ status, copies }) => (
      <span className="row">
        <Status status={status === 'resolving' ? 'active' : status} />
        {copies === 'pending' && <Badge tone="info">Copying to the backups</Badge>}
      </span>
    ),
  },
];

export const ErasuresTab = () => {
  const projectId = useParam('projectId');
  const { reason } = usePermission('admin');
  const list = useErasures(projectId);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button variant="quiet-danger" disabledReason={reason} onClick={() => setCreating(true)}>
      Erase documents…
    </Button>
  );
  const actions = (
    <>
      <ButtonLink icon="search" to={paths.search({ projectId })}>
        Search for documents
      </ButtonLink>
      {create}
    </>
  );
  return (
    <>
      <Card flush title="Erasures" actions={list.items && list.items.length > 0 ? actions : undefined}>
        <ListBody
          list={list}
          what="erasures"
          empty={
            <EmptyState icon="lock" title="Nothing was erased" actions={actions}>
              When a person asks for erasure, name their documents here, or search the newest backup for them by an e-mail
              address. No restore, browse, compare or export shows them any more, in any backup, while the backups are kept.
            </EmptyState>
          }
        >
          <Table label="Erasures" columns={columns} rows={list.items} rowKey={({ id }) => id} />
        </ListBody>
      </Card>
      {isCreating && <ErasureDialog projectId={projectId} onClose={() => setCreating(false)} />}
    </>
  );
};

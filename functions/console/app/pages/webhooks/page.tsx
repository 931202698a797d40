import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useWebhooks, type Webhook } from '../../data/webhooks.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhook-state.tsx';

const columns: readonly Column<Webhook>[] = [
  { key: 'name', label: 'Webhook', isTitle: true, cell: ({ id, name }) => <Link to={paths.webhook(id)}>{name}</Link> },
  {
    key: 'url',
    label: 'Address',
    cell: ({ url }) => (
      <code className="webhooks__url truncate" title={url}>
        {url}
      </code>
    ),
  },
  {
    key: 'events',
    label: 'Events',
    cell: ({ events }) => <span className="table__name">{events.includes('*') ? 'All events' : events.join(', ')}</span>,
  },
  { key: 'status', label: 'Status', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { key: 'last', label: 'Last event', cell: ({ lastTriggeredAt }) => <Time at={lastTriggeredAt} relative none="Never" /> },
];

export const WebhooksPage = () => {
  const { reason } = usePermission('admin');
  const list = useWebhooks();
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button variant="primary" icon="plus" disabledReason={reason} onClick={() => setCreating(true)}>
      Add webhook
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Events of this organization, sent to your own endpoints."
        actions={list.items?.length !== 0 && create}
      />
      <Card flush>
        <ListBody
          list={list}
          what="webhooks"
          empty={
            <EmptyState icon="webhook" title="No webhooks yet" actions={create}>
              Get a signed request when a backup fails, a restore ends or a member leaves. Failed ones are retried, and those of
              the last 30 days can be sent again.
            </EmptyState>
          }
        >
          <Table label="Webhooks" columns={columns} rows={list.items} rowKey={({ id }) => id} />
        </ListBody>
      </Card>
      {isCreating && <WebhookForm webhook={undefined} onClose={() => setCreating(false)} />}
    </>
  );
};

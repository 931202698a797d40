import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type Delivery, type DeliveryStatus, useDeliveryPages, useRetryDelivery } from '../../data/webhooks.ts';
import { formatDuration } from '../../format/format-time.ts';
import { answerOf, DeliveryState } from '../../parts/delivery-state.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { LoadMore } from '../../ui/layout/load-more.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { RequestDialog } from './request-dialog.tsx';

const views = [
  ['all', 'All'],
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
] as const;

/** The deliveries of the last 30 days with the status of the answer. */
export const DeliveryCard = ({ webhookId }: { readonly webhookId: string }) => {
  const { reason } = usePermission('admin');
  const [view, setView] = useState<'all' | DeliveryStatus>('all');
  const [shown, setShown] = useState<Delivery>();
  const { items, query } = useDeliveryPages(webhookId, view === 'all' ? undefined : view);
  const retry = useRetryDelivery(webhookId);
  const columns: readonly Column<Delivery>[] = [
    {
      key: 'event',
      label: 'Event',
      isTitle: true,
      cell: (delivery) => (
        <span className="row">
          <button type="button" className="webhooks__link" onClick={() => setShown(delivery)}>
            {delivery.eventType}
          </button>
          {delivery.test && <Badge>Test</Badge>}
        </span>
      ),
    },
    { key: 'status', label: 'Status', cell: (delivery) => <DeliveryState delivery={delivery} /> },
    {
      key: 'answer',
      label: 'Answer',
      cell: (delivery) => answerOf(delivery) ?? <span className="muted">None</span>,
    },
    { key: 'attempts', label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
    {
      key: 'duration',
      label: 'Took',
      isNumber: true,
      cell: ({ duration }) => (duration === null ? '–' : formatDuration(duration)),
    },
    {
      key: 'time',
      label: 'Last attempt',
      cell: ({ lastAttemptAt, timestamp }) => <Time at={lastAttemptAt ?? timestamp} relative />,
    },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: ({ id, status }) => (
        <Button
          size="small"
          variant="quiet"
          busy={retry.isPending && retry.variables === id}
          disabledReason={reason ?? (status === 'attempting' ? 'It is sent again by itself.' : undefined)}
          onClick={() => retry.mutate(id)}
        >
          Send again
        </Button>
      ),
    },
  ];
  return (
    <Card
      title="Deliveries"
      description="Each event of the last 30 days, with the answer of the endpoint. Choose one to see the request."
      actions={<Segments label="Which deliveries" value={view} options={views} onChange={setView} />}
      flush
    >
      {query.error && !items ? (
        <ErrorNotice error={query.error} title="The deliveries could not be loaded" onRetry={() => void query.refetch()} />
      ) : items?.length === 0 ? (
        <EmptyState icon="webhook" title={view === 'all' ? 'No deliveries yet' : `No ${view} deliveries`}>
          {view === 'all' ? 'Send a test, or wait for the first event.' : 'Choose another view to see the rest.'}
        </EmptyState>
      ) : (
        <Table label="Deliveries" columns={columns} rows={items} rowKey={({ id }) => id} />
      )}
      <LoadMore query={query} />
      {shown && <RequestDialog webhookId={webhookId} delivery={shown} onClose={() => setShown(undefined)} />}
    </Card>
  );
};

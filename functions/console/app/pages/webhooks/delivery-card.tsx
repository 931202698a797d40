import { useState } from 'react';
import { type Delivery, type DeliveryStatus, useRetryDelivery, useWebhookDeliveries } from '../../data/webhooks.ts';
import { deliveryViews, useDeliveryColumns } from '../../parts/delivery-columns.tsx';
import { answerOf } from '../../parts/delivery-state.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Table } from '../../ui/data/table.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { RequestDialog } from './request-dialog.tsx';

/** The deliveries of the last 30 days with the status of the answer. */
export const DeliveryCard = ({ webhookId }: { readonly webhookId: string }) => {
  const [view, setView] = useState<'all' | DeliveryStatus>('all');
  const [shown, setShown] = useState<Delivery>();
  const list = useWebhookDeliveries(webhookId, view === 'all' ? undefined : view);
  const columns = useDeliveryColumns<Delivery>({
    title: {
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
    answer: (delivery) => answerOf(delivery) ?? <span className="muted">None</span>,
    createdAt: ({ timestamp }) => timestamp,
    retry: useRetryDelivery(webhookId),
  });
  return (
    <Card
      title="Deliveries"
      description="Each event of the last 30 days, with the answer of the endpoint. Choose one to see the request."
      actions={<Segments label="Which deliveries" value={view} options={deliveryViews} onChange={setView} />}
      flush
    >
      <ListBody
        list={list}
        what="deliveries"
        empty={
          <EmptyState icon="webhook" title={view === 'all' ? 'No deliveries yet' : `No ${view} deliveries`}>
            {view === 'all' ? 'Send a test, or wait for the first event.' : 'Choose another view to see the rest.'}
          </EmptyState>
        }
        moreLabel="Show older deliveries"
      >
        <Table label="Deliveries" columns={columns} rows={list.items} rowKey={({ id }) => id} />
      </ListBody>
      {shown && <RequestDialog webhookId={webhookId} delivery={shown} onClose={() => setShown(undefined)} />}
    </Card>
  );
};

import { useState } from 'react';
import { type Delivery, useRetryDelivery, useWebhookDeliveries } from '../../data/webhooks.ts';
import { DeliveryCard, useDeliveryView } from '../../parts/delivery-card.tsx';
import { answerOf } from '../../parts/delivery-state.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { Time } from '../../ui/data/time.tsx';
import { RequestDialog } from './request-dialog.tsx';

/** The deliveries of the last 30 days with the status of the answer. */
export const WebhookDeliveries = ({ webhookId }: { readonly webhookId: string }) => {
  const shown = useDeliveryView();
  const [opened, setOpened] = useState<Delivery>();
  return (
    <DeliveryCard<Delivery>
      title="Deliveries"
      description="Each event of the last 30 days, the newest first, with the answer of the endpoint. Choose one to see the request."
      shown={shown}
      list={useWebhookDeliveries(webhookId, shown.status)}
      icon="webhook"
      advice="Send a test, or wait for the first event."
      columns={{
        title: {
          key: 'event',
          label: 'Event',
          isTitle: true,
          cell: (delivery) => (
            <span className="stack stack--close">
              <span className="row">
                <button type="button" className="link-button wrap-anywhere" onClick={() => setOpened(delivery)}>
                  {delivery.eventType}
                </button>
                {delivery.test && <Badge>Test</Badge>}
              </span>
              {/* Tells deliveries of the same event type apart: the list is in the order of these times. */}
              <span className="small secondary">
                <Time at={delivery.timestamp} seconds /> · <code className="wrap-anywhere">{delivery.eventId}</code>
              </span>
            </span>
          ),
        },
        answer: (delivery) => answerOf(delivery) ?? <span className="muted">None</span>,
        createdAt: ({ timestamp }) => timestamp,
        retry: useRetryDelivery(webhookId),
      }}
    >
      {opened && <RequestDialog webhookId={webhookId} delivery={opened} onClose={() => setOpened(undefined)} />}
    </DeliveryCard>
  );
};

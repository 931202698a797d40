import { type AlertDelivery, useAlertDeliveries, useRetryAlert } from '../../data/alerts.ts';
import { DeliveryCard, useDeliveryView } from '../../parts/delivery-card.tsx';
import { answerOf } from '../../parts/delivery-state.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { messageWords } from './alert-words.ts';

const title: Column<AlertDelivery> = {
  key: 'title',
  label: 'Message',
  isTitle: true,
  cell: ({ title, state }) => (
    <span className="row">
      <span className="wrap-anywhere">{title}</span>
      <Badge>{messageWords[state]}</Badge>
    </span>
  ),
};

/** The messages of the last 30 days with what the provider answered. */
export const AlertMessages = ({ alertId }: { readonly alertId: string }) => {
  const shown = useDeliveryView();
  return (
    <DeliveryCard<AlertDelivery>
      title="Messages"
      description="Of the last 30 days."
      shown={shown}
      list={useAlertDeliveries(alertId, shown.status)}
      icon="bell"
      advice="Send a test, or wait for the first incident."
      columns={{
        title,
        answer: ({ statusCode, response, lastError }) => (
          <span className="table__name alerts__answer">
            {answerOf({ statusCode: null, lastError }) ?? response ?? statusCode ?? '–'}
          </span>
        ),
        createdAt: ({ createdAt }) => createdAt,
        retry: useRetryAlert(alertId),
        retryReason: ({ state }) => (state === 'test' ? 'Send a new test instead.' : undefined),
      }}
    />
  );
};

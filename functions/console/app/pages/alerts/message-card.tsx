import { useState } from 'react';
import { type AlertDelivery, useAlertDeliveries, useRetryAlert } from '../../data/alerts.ts';
import { deliveryViews, useDeliveryColumns } from '../../parts/delivery-columns.tsx';
import { answerOf } from '../../parts/delivery-state.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
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
export const MessageCard = ({ alertId }: { readonly alertId: string }) => {
  const [view, setView] = useState<'all' | AlertDelivery['status']>('all');
  const list = useAlertDeliveries(alertId, view === 'all' ? undefined : view);
  const columns = useDeliveryColumns<AlertDelivery>({
    title,
    answer: ({ statusCode, response, lastError }) => (
      <span className="table__name alerts__answer">
        {answerOf({ statusCode: null, lastError }) ?? response ?? statusCode ?? '–'}
      </span>
    ),
    createdAt: ({ createdAt }) => createdAt,
    retry: useRetryAlert(alertId),
    retryReason: ({ state }) => (state === 'test' ? 'Send a new test instead.' : undefined),
  });
  return (
    <Card
      title="Messages"
      description="Of the last 30 days."
      actions={<Segments label="Which messages" value={view} options={deliveryViews} onChange={setView} />}
      flush
    >
      <ListBody
        list={list}
        what="messages"
        empty={
          <EmptyState icon="bell" title={view === 'all' ? 'No messages yet' : `No ${view} messages`}>
            {view === 'all' ? 'Send a test, or wait for the first incident.' : 'Choose another view to see the rest.'}
          </EmptyState>
        }
        moreLabel="Show older messages"
      >
        <Table label="Messages" columns={columns} rows={list.items} rowKey={({ id }) => id} />
      </ListBody>
    </Card>
  );
};

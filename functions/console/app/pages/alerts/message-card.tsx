import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type AlertDelivery, useAlertDeliveries, useRetryAlert } from '../../data/alerts.ts';
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
import { messageWords } from './alert-words.ts';

const views = [
  ['all', 'All'],
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
] as const;

/** The messages of the last 30 days with what the provider answered. */
export const MessageCard = ({ alertId }: { readonly alertId: string }) => {
  const { reason } = usePermission('admin');
  const [view, setView] = useState<'all' | AlertDelivery['status']>('all');
  const { items, query } = useAlertDeliveries(alertId, view === 'all' ? undefined : view);
  const retry = useRetryAlert(alertId);
  const columns: readonly Column<AlertDelivery>[] = [
    {
      key: 'title',
      label: 'Message',
      isTitle: true,
      cell: ({ title, state }) => (
        <span className="row">
          <span className="wrap-anywhere">{title}</span>
          <Badge>{messageWords[state]}</Badge>
        </span>
      ),
    },
    { key: 'status', label: 'Status', cell: (delivery) => <DeliveryState delivery={delivery} /> },
    {
      key: 'answer',
      label: 'Answer',
      cell: ({ statusCode, response, lastError }) => (
        <span className="table__name alerts__answer">
          {answerOf({ statusCode: null, lastError }) ?? response ?? statusCode ?? '–'}
        </span>
      ),
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
      cell: ({ lastAttemptAt, createdAt }) => <Time at={lastAttemptAt ?? createdAt} relative />,
    },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: (delivery) => (
        <Button
          size="small"
          busy={retry.isPending && retry.variables === delivery.id}
          disabledReason={reason ?? retryReason(delivery)}
          onClick={() => retry.mutate(delivery.id)}
        >
          Send again
        </Button>
      ),
    },
  ];
  return (
    <Card
      title="Messages"
      description="Of the last 30 days."
      actions={<Segments label="Which messages" value={view} options={views} onChange={setView} />}
      flush
    >
      {query.error && !items ? (
        <ErrorNotice error={query.error} title="The messages could not be loaded" onRetry={() => void query.refetch()} />
      ) : items?.length === 0 ? (
        <EmptyState icon="bell" title={view === 'all' ? 'No messages yet' : `No ${view} messages`}>
          {view === 'all' ? 'Send a test, or wait for the first incident.' : 'Choose another view to see the rest.'}
        </EmptyState>
      ) : (
        <Table label="Messages" columns={columns} rows={items} rowKey={({ id }) => id} />
      )}
      <LoadMore query={query} label="Show older messages" />
    </Card>
  );
};

const retryReason = ({ status, state, attempts }: AlertDelivery): string | undefined => {
  if (status === 'attempting') return attempts > 0 ? 'It is sent again by itself.' : 'It is being sent.';
  return state === 'test' ? 'Send a new test instead.' : undefined;
};

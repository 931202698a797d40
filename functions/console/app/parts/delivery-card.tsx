import { useState } from 'react';
import { usePermission } from '../api/permission.ts';
import { formatDuration } from '../format/format-time.ts';
import type { Column } from '../ui/data/table.tsx';
import { Time } from '../ui/data/time.tsx';
import { Button } from '../ui/form/button.tsx';
import { type Delivery, DeliveryState } from './delivery-state.tsx';
import { HistoryCard, type HistoryCardProps } from './history-card.tsx';

const views = [
  ['all', 'All'],
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
] as const;

/** Which deliveries are shown. */
export const useDeliveryView = () => {
  const [view, onView] = useState<(typeof views)[number][0]>('all');
  return { view, onView, status: view === 'all' ? undefined : view };
};

interface Listed extends Delivery {
  readonly id: string;
  readonly duration: number | null;
  readonly lastAttemptAt: string | null;
}

interface DeliveryColumns<T> {
  readonly title: Column<T>;
  readonly answer: Column<T>['cell'];
  /** When it was created, for one without an attempt. */
  readonly createdAt: (delivery: T) => string;
  readonly retry: {
    readonly isPending: boolean;
    readonly variables: string | undefined;
    readonly mutate: (deliveryId: string) => void;
  };
  /** Why one that is not being sent cannot be sent again. */
  readonly retryReason?: (delivery: T) => string | undefined;
}

interface DeliveryCardProps<T> extends Pick<HistoryCardProps<T, string>, 'title' | 'description' | 'list' | 'icon' | 'children'> {
  readonly shown: ReturnType<typeof useDeliveryView>;
  readonly columns: DeliveryColumns<T>;
  /** How to get the first one. */
  readonly advice: string;
}

/** The deliveries of a webhook or an alert. */
export const DeliveryCard = <T extends Listed>({ shown: { view, onView }, columns, advice, ...card }: DeliveryCardProps<T>) => {
  const what = card.title.toLowerCase();
  return (
    <HistoryCard
      {...card}
      views={views}
      view={view}
      onView={onView}
      columns={useDeliveryColumns(columns)}
      empty={view === 'all' ? [`No ${what} yet`, advice] : [`No ${view} ${what}`, 'Choose another view to see the rest.']}
    />
  );
};

const useDeliveryColumns = <T extends Listed>(own: DeliveryColumns<T>): readonly Column<T>[] => {
  const { title, answer, createdAt, retry, retryReason } = own;
  const { reason } = usePermission('admin');
  return [
    title,
    { key: 'status', label: 'Status', cell: (delivery) => <DeliveryState delivery={delivery} /> },
    { key: 'answer', label: 'Answer', cell: answer },
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
      cell: (delivery) => <Time at={delivery.lastAttemptAt ?? createdAt(delivery)} relative />,
    },
    {
      key: 'actions',
      label: 'Actions',
      isActions: true,
      cell: (delivery) => (
        <Button
          size="small"
          variant="quiet"
          busy={retry.isPending && retry.variables === delivery.id}
          disabledReason={reason ?? sendingReason(delivery) ?? retryReason?.(delivery)}
          onClick={() => retry.mutate(delivery.id)}
        >
          Send again
        </Button>
      ),
    },
  ];
};

const sendingReason = ({ status, attempts }: Delivery): string | undefined => {
  if (status !== 'attempting') return undefined;
  return attempts > 0 ? 'It will be sent again automatically.' : 'It is being sent.';
};

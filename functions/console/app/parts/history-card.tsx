import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card } from '../ui/data/card.tsx';
import { EmptyState } from '../ui/data/empty-state.tsx';
import { ListBody } from '../ui/data/list-body.tsx';
import { type Column, Table } from '../ui/data/table.tsx';
import type { IconName } from '../ui/icon.tsx';
import { Segments } from '../ui/layout/tabs.tsx';

export interface HistoryCardProps<T, V extends string> {
  /** What is listed, such as `Messages`. */
  readonly title: string;
  readonly description: string;
  readonly views: readonly (readonly [view: V, label: string])[];
  readonly view: V;
  readonly onView: (view: V) => void;
  readonly list: { readonly items: readonly T[] | undefined; readonly query: UseInfiniteQueryResult };
  readonly columns: readonly Column<T>[];
  readonly icon: IconName;
  /** What an empty list says, and what to do then. */
  readonly empty: readonly [title: string, advice: string];
  readonly children?: ReactNode;
}

/** What has happened, newest first, with a choice of what is shown. */
export const HistoryCard = <T extends { readonly id: string }, V extends string>(props: HistoryCardProps<T, V>) => {
  const { title, description, views, view, onView, list, columns, icon, empty, children } = props;
  const what = title.toLowerCase();
  return (
    <Card
      title={title}
      description={description}
      actions={<Segments label={`Which ${what}`} value={view} options={views} onChange={onView} />}
      flush
    >
      <ListBody
        list={list}
        what={what}
        empty={
          <EmptyState icon={icon} title={empty[0]}>
            {empty[1]}
          </EmptyState>
        }
        moreLabel={`Show older ${what}`}
      >
        <Table label={title} columns={columns} rows={list.items} rowKey={({ id }) => id} />
      </ListBody>
      {children}
    </Card>
  );
};

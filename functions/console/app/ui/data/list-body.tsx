import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { LoadMore } from './load-more.tsx';

interface ListBodyProps {
  readonly list: {
    /** Undefined while the first page loads. */
    readonly items: readonly unknown[] | undefined;
    readonly query: UseInfiniteQueryResult | UseQueryResult;
  };
  /** What is listed, such as `webhooks`: "The webhooks could not be loaded". */
  readonly what: string;
  /** Shown if there are none. */
  readonly empty: ReactNode;
  /** Loads the next page. */
  readonly moreLabel?: string;
  /** The items, or their skeleton while they load. */
  readonly children: ReactNode;
}

/** A list: its items, or why there are none, and the way to its next page. */
export const ListBody = ({ list: { items, query }, what, empty, moreLabel, children }: ListBodyProps) => {
  if (query.error && !items)
    return (
      <div className="list-failure">
        <ErrorNotice error={query.error} title={`The ${what} could not be loaded`} onRetry={() => void query.refetch()} />
      </div>
    );
  const pages = 'fetchNextPage' in query ? query : undefined;
  const isSearching = items?.length === 0 && pages?.hasNextPage === true;
  return (
    <>
      {isSearching ? <NoneSoFar what={what} /> : items?.length === 0 ? empty : children}
      {pages && <LoadMore query={pages} {...(isSearching ? { label: 'Search further' } : moreLabel && { label: moreLabel })} />}
    </>
  );
};

/** A request searches a limited part of a long list, which may have nothing that matches. */
const NoneSoFar = ({ what }: { readonly what: string }) => (
  <EmptyState icon="search" title={`No ${what} found so far`}>
    Older ones have not been searched yet.
  </EmptyState>
);

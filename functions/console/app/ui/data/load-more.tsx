import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from '../form/button.tsx';
import { ErrorNotice } from './error-notice.tsx';

interface LoadMoreProps {
  readonly query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error' | 'fetchNextPage'
  >;
  readonly label?: string;
}

/** Below a list: loads its next page. Nothing if there is none. */
export const LoadMore = ({ query, label = 'Load more' }: LoadMoreProps) => {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query;
  if (!hasNextPage) return null;
  return (
    <div className="load-more">
      {isFetchNextPageError && <ErrorNotice error={error} title="The next page could not be loaded" />}
      <Button size="small" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
};

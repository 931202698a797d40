import type { DataOf } from '../../../../shared/client/index.ts';
import { queryClient } from '../api/query-client.ts';
import { clientOf, keyOf, useRead } from '../api/use-api.ts';

export type Overview = DataOf<'GET /overview'>;
export type ProjectOverview = Overview['projects'][number];
export type Attention = Overview['attention'][number];

/** A call reads up to 6 MB: polled every 10 s at most. */
export const useOverview = () =>
  useRead('GET /overview', undefined, {
    pollWhile: ({ totals }) => totals.runningJobs > 0,
    pollFromMs: 10_000,
    staleTime: 15_000,
  });

/** Starts the call before the page is drawn. */
export const prefetchOverview = (organizationId: string): void => {
  void queryClient.prefetchQuery({
    queryKey: keyOf(organizationId, 'GET /overview'),
    queryFn: ({ signal }) => clientOf(organizationId).request('GET /overview', { signal }),
    staleTime: 15_000,
  });
};

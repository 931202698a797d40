import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DataOf } from '../../../../shared/client/index.ts';
import { pollInterval } from './poll-interval.ts';
import { keyOf, type ListResult, useApi } from './use-api.ts';

interface Deliveries {
  readonly 'GET /alerts/{alertId}/deliveries': DataOf<'GET /alerts/{alertId}/deliveries'>['deliveries'][number];
  readonly 'GET /webhooks/{webhookId}/deliveries': DataOf<'GET /webhooks/{webhookId}/deliveries'>['deliveries'][number];
}

/** Reads deliveries page by page. Not a list of the API, because the deliveries are a field of its data. */
export const useDeliveries = <R extends keyof Deliveries>(
  route: R,
  params: Readonly<Record<string, string>>,
  status: Deliveries[R]['status'] | undefined,
): ListResult<Deliveries[R]> => {
  const { client, organizationId } = useApi();
  const query = useInfiniteQuery({
    queryKey: keyOf(organizationId, route, { params, status }),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const input = { params, query: { status, cursor: pageParam, limit: 25 }, signal };
      return (await (client.page as AnyPage)(route, input)) as {
        data: { deliveries: readonly Deliveries[R][] };
        pagination: { nextCursor: string | null };
      };
    },
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      pollInterval({ ...state, data: state.data?.pages.flatMap(({ data }) => data.deliveries) }, (deliveries) =>
        deliveries.some((delivery) => delivery.status === 'attempting'),
      ),
  });
  const { data } = query;
  return { items: useMemo(() => data?.pages.flatMap((page) => page.data.deliveries), [data]), query };
};

type AnyPage = (route: string, input: object) => Promise<unknown>;

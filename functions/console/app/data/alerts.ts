import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DataOf, ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { pollInterval } from '../api/poll-interval.ts';
import { keyOf, useApi, useChange, useList, useRead } from '../api/use-api.ts';

export type Alert = ElementOf<'GET /alerts'>;
export type AlertInput = InputOf<'POST /alerts'>['body'];
export type AlertChanges = NonNullable<InputOf<'PATCH /alerts/{alertId}'>['body']>;
export type Incident = ElementOf<'GET /alerts/incidents'>;
export type AlertDelivery = DataOf<'GET /alerts/{alertId}/deliveries'>['deliveries'][number];

const alerts = ['/alerts'] as const;

export const useAlerts = () => useList('GET /alerts', { query: { limit: 100 } });

export const useAlert = (alertId: string) => useRead('GET /alerts/{alertId}', { params: { alertId } });

export const useIncidents = (status: Incident['status'] | undefined) =>
  useList('GET /alerts/incidents', { query: { limit: 25, status } });

export const useDigest = () => useRead('GET /alerts/digest');

/** Pages of messages. Not a list of the API, because the deliveries are a field of its data. */
export const useAlertDeliveries = (alertId: string, status: AlertDelivery['status'] | undefined) => {
  const { client, organizationId } = useApi();
  const query = useInfiniteQuery({
    queryKey: keyOf(organizationId, 'GET /alerts/{alertId}/deliveries', { alertId, status }),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      client.page('GET /alerts/{alertId}/deliveries', {
        params: { alertId },
        query: { status, cursor: pageParam, limit: 25 },
        signal,
      }),
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      pollInterval({ ...state, data: state.data?.pages.flatMap(({ data }) => data.deliveries) }, (deliveries) =>
        deliveries.some((delivery) => delivery.status === 'attempting'),
      ),
  });
  const { data } = query;
  return { items: useMemo(() => data?.pages.flatMap((page) => page.data.deliveries), [data]), query };
};

export const useCreateAlert = () =>
  useChange({
    call: (client, body: AlertInput) => client.request('POST /alerts', { body }),
    done: 'The alert was added. Send a test to see that messages arrive',
    invalidates: alerts,
    toastsError: false,
  });

export const useUpdateAlert = (alertId: string) =>
  useChange({
    call: (client, body: AlertChanges) => client.request('PATCH /alerts/{alertId}', { params: { alertId }, body }),
    done: 'The alert was saved',
    invalidates: alerts,
    toastsError: false,
  });

export const useToggleAlert = (alertId: string) =>
  useChange({
    call: (client, enabled: boolean) => client.request('PATCH /alerts/{alertId}', { params: { alertId }, body: { enabled } }),
    done: ({ enabled }) => (enabled ? 'The alert is sent again' : 'The alert is no longer sent'),
    invalidates: alerts,
  });

export const useDeleteAlert = (alertId: string) =>
  useChange({
    call: (client) => client.request('DELETE /alerts/{alertId}', { params: { alertId } }),
    done: 'The alert was deleted',
    invalidates: [],
    toastsError: false,
  });

export const useTestAlert = (alertId: string) =>
  useChange({
    call: (client) => client.request('POST /alerts/{alertId}/test', { params: { alertId } }),
    invalidates: alerts,
    toastsError: false,
  });

export const useRetryAlert = (alertId: string) =>
  useChange({
    call: (client, deliveryId: string) =>
      client.request('POST /alerts/{alertId}/deliveries/{deliveryId}/retry', { params: { alertId, deliveryId } }),
    done: 'The message is being sent again',
    invalidates: alerts,
  });

import type { DataOf, ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useRead, useWholeList } from '../api/use-api.ts';
import { useDeliveries } from '../api/use-deliveries.ts';

export type Alert = ElementOf<'GET /alerts'>;
export type AlertInput = InputOf<'POST /alerts'>['body'];
export type AlertChanges = NonNullable<InputOf<'PATCH /alerts/{alertId}'>['body']>;
export type AlertDelivery = DataOf<'GET /alerts/{alertId}/deliveries'>['deliveries'][number];

const alerts = ['/alerts'] as const;

export const useAlerts = () => useWholeList('GET /alerts');

export const useAlert = (alertId: string) => useRead('GET /alerts/{alertId}', { params: { alertId } });

export const useDigest = () => useRead('GET /alerts/digest');

export const useAlertDeliveries = (alertId: string, status: AlertDelivery['status'] | undefined) =>
  useDeliveries('GET /alerts/{alertId}/deliveries', { alertId }, status);

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

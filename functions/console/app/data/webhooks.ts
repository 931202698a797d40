import type { DataOf, ElementOf, InputOf } from '../../../../shared/client/index.ts';
import { useChange, useRead, useWholeList } from '../api/use-api.ts';
import { useDeliveries } from '../api/use-deliveries.ts';

export type Webhook = ElementOf<'GET /webhooks'>;
export type WebhookWithSecret = DataOf<'GET /webhooks/{webhookId}'>;
export type WebhookInput = InputOf<'POST /webhooks'>['body'];
export type WebhookEvent = DataOf<'GET /webhooks/events'>[number];
export type Delivery = DataOf<'GET /webhooks/{webhookId}/deliveries'>['deliveries'][number];
export type DeliveryStatus = Delivery['status'];

const webhooks = ['/webhooks', '/overview'] as const;

export const useWebhooks = () => useWholeList('GET /webhooks');

export const useWebhook = (webhookId: string) => useRead('GET /webhooks/{webhookId}', { params: { webhookId } });

/** The catalogue changes only with the service. */
export const useWebhookEvents = () => useRead('GET /webhooks/events', undefined, { staleTime: Number.POSITIVE_INFINITY });

export const useWebhookDeliveries = (webhookId: string, status: DeliveryStatus | undefined) =>
  useDeliveries('GET /webhooks/{webhookId}/deliveries', { webhookId }, status);

export const useDeliveryRequest = (webhookId: string, deliveryId: string) =>
  useRead('GET /webhooks/{webhookId}/deliveries/{deliveryId}/request', { params: { webhookId, deliveryId } });

export const useCreateWebhook = () =>
  useChange({
    call: (client, body: WebhookInput) => client.request('POST /webhooks', { body }),
    invalidates: webhooks,
    toastsError: false,
  });

export const useUpdateWebhook = (webhookId: string) =>
  useChange({
    call: (client, body: NonNullable<InputOf<'PATCH /webhooks/{webhookId}'>['body']>) =>
      client.request('PATCH /webhooks/{webhookId}', { params: { webhookId }, body }),
    done: 'The webhook was saved',
    invalidates: webhooks,
    toastsError: false,
  });

export const useToggleWebhook = (webhookId: string) =>
  useChange({
    call: (client, enabled: boolean) =>
      client.request('PATCH /webhooks/{webhookId}/toggle', { params: { webhookId }, body: { enabled } }),
    done: ({ enabled }) => (enabled ? 'The webhook receives events again' : 'The webhook receives no events'),
    invalidates: webhooks,
  });

export const useDeleteWebhook = (webhookId: string) =>
  useChange({
    call: (client) => client.request('DELETE /webhooks/{webhookId}', { params: { webhookId } }),
    done: 'The webhook was deleted',
    invalidates: ['/overview'],
    toastsError: false,
  });

export const useTestWebhook = (webhookId: string) =>
  useChange({
    call: (client, event: string) =>
      client.request('POST /webhooks/{webhookId}/test', { params: { webhookId }, body: { event } }),
    invalidates: webhooks,
    toastsError: false,
  });

export const useRotateSecret = (webhookId: string) =>
  useChange({
    call: (client, overlapHours: number) =>
      client.request('POST /webhooks/{webhookId}/rotate-secret', { params: { webhookId }, body: { overlapHours } }),
    invalidates: webhooks,
    toastsError: false,
  });

export const useRetryDelivery = (webhookId: string) =>
  useChange({
    call: (client, deliveryId: string) =>
      client.request('POST /webhooks/{webhookId}/deliveries/{deliveryId}/retry', { params: { webhookId, deliveryId } }),
    done: 'The delivery is being sent again',
    invalidates: webhooks,
  });

export const useReplay = (webhookId: string) =>
  useChange({
    call: (client, body: InputOf<'POST /webhooks/{webhookId}/replay'>['body']) =>
      client.request('POST /webhooks/{webhookId}/replay', { params: { webhookId }, body }),
    done: 'The events are being sent again. They appear in the list of deliveries',
    invalidates: webhooks,
    toastsError: false,
  });

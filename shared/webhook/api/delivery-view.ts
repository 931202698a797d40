/** A delivery as the API shows it. */
import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import type { Delivery, DeliveryRequest } from '../../contract/models/webhook.ts';
import type { WebhookDeliveryRecord } from '../model/record.ts';
import { maskUrl } from '../request/mask-url.ts';

/** `lastError` is of the last attempt, and is shown until an attempt succeeds. */
export const deliveryData = (record: WebhookDeliveryRecord): z.input<typeof Delivery> => ({
  id: record.id,
  eventId: record.event.id,
  eventType: record.event.type,
  status: record.status,
  statusCode: record.statusCode,
  timestamp: record.event.timestamp,
  duration: record.durationMs,
  attempts: record.attempts,
  ...(record.status !== 'delivered' && record.lastError !== null && { lastError: record.lastError }),
  lastAttemptAt: record.lastAttemptAt,
  nextAttemptAt: record.nextAttemptAt,
  ...(record.isTest && { test: true as const }),
});

/** The request of the last attempt. Its secrets were masked before it was stored, except for the URL in older records. */
export const requestData = ({ request }: WebhookDeliveryRecord): z.input<typeof DeliveryRequest> => {
  if (!request) throw new ApiError('CONFLICT', 'No request has been sent for this delivery yet');
  return { method: 'POST', ...request, url: maskUrl(request.url) };
};

/** Format A, the standard format, with its own headers and those of Standard Webhooks. */
import { isFailureEvent } from '../../contract/events/event-names.ts';
import { epochSeconds } from '../../platform/index.ts';
import { filterableAttributes } from '../model/filterable-attributes.ts';
import type { StoredEvent } from '../model/record.ts';
import type { Attempt, Message, OpenSecrets } from './message-types.ts';
import { hexSignature, standardSignature } from './signature.ts';

/** The timestamp is of this attempt; the id is the same in every attempt. Never sent unsigned. */
export const standardMessage = ({ secret, previous }: OpenSecrets, event: StoredEvent, attempt: Attempt): Message => {
  if (secret === undefined) throw new Error('a webhook in the standard format has no secret');
  const { deliveryId, sentAt } = attempt;
  const timestamp = String(epochSeconds(sentAt));
  const body = JSON.stringify(standardBody(event, attempt));
  const signing = previous === undefined ? [secret] : [secret, previous];
  return {
    body,
    headers: {
      'X-Service-Timestamp': timestamp,
      'X-Service-Delivery-Id': deliveryId,
      'webhook-id': deliveryId,
      'webhook-timestamp': timestamp,
      ...(attempt.isTest && { 'X-Service-Test': 'true' }),
    },
    signatures: {
      'X-Service-Signature': hexSignature(secret, `${timestamp}.${body}`),
      ...(previous !== undefined && { 'X-Service-Signature-Previous': hexSignature(previous, `${timestamp}.${body}`) }),
      'webhook-signature': signing.map((each) => standardSignature(each, `${deliveryId}.${timestamp}.${body}`)).join(' '),
    },
  };
};

/** The body of an attempt. */
export const standardBody = (event: StoredEvent, { attempt, deliveryId, retry, isTest }: Omit<Attempt, 'sentAt'>) => {
  const { id, type, timestamp, requestId } = event;
  const { trigger, scheduleId } = filterableAttributes(event);
  const caused = requestId !== undefined && { requestId };
  const outlook = (attempt > 1 || isFailureEvent(type)) && retry;
  const metadata = { trigger, scheduleId, attempt, deliveryId, ...outlook, ...caused, ...(isTest && { test: true }) };
  return { id, type, timestamp, data: currentData(event), metadata };
};

/** The error of a `storage.error` event was a text in earlier versions, whose events are kept for 30 days. */
const currentData = ({ type, data }: StoredEvent): unknown => {
  const { error } = data as { readonly error?: unknown };
  return type === 'storage.error' && typeof error === 'string'
    ? { ...(data as object), error: { code: 'STORAGE_ERROR', message: error, details: {} } }
    : data;
};

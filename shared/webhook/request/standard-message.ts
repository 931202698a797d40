/** Format A, the standard format, with its own headers and those of Standard Webhooks. */
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
  const body = JSON.stringify(envelope(event, attempt));
  const signing = previous === undefined ? [secret] : [secret, previous];
  return {
    body,
    headers: {
      'X-Service-Timestamp': timestamp,
      'X-Service-Delivery-Id': deliveryId,
      'webhook-id': deliveryId,
      'webhook-timestamp': timestamp,
    },
    signatures: {
      'X-Service-Signature': hexSignature(secret, `${timestamp}.${body}`),
      ...(previous !== undefined && { 'X-Service-Signature-Previous': hexSignature(previous, `${timestamp}.${body}`) }),
      'webhook-signature': signing.map((each) => standardSignature(each, `${deliveryId}.${timestamp}.${body}`)).join(' '),
    },
  };
};

const envelope = (event: StoredEvent, { attempt, deliveryId, maxAttempts, willRetry }: Attempt) => {
  const { id, type, timestamp, data } = event;
  const { trigger, scheduleId } = filterableAttributes(event);
  return { id, type, timestamp, data, metadata: { trigger, scheduleId, attempt, deliveryId, maxAttempts, willRetry } };
};

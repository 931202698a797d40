/** Format B, the legacy format. Its `data` has exactly the fields that the interface lists, with durations in seconds. */
import { isSimpleEvent } from '../../contract/events/event-names.ts';
import { simpleEventData } from '../../contract/events/simple-event-data.ts';
import type { StoredEvent } from '../model/record.ts';
import type { Attempt, Message, OpenSecrets } from './message-types.ts';
import { hexSignature } from './signature.ts';

/** Signed only if the webhook has a secret. The signature covers the body alone. */
export const simpleMessage = (
  webhookId: string,
  {
    secrets: { secret, previous },
    event,
    attempt: { isTest },
  }: { readonly secrets: OpenSecrets; readonly event: StoredEvent; readonly attempt: Pick<Attempt, 'isTest'> },
): Message => {
  const { type, timestamp } = event;
  const body = JSON.stringify(simpleBody(event));
  return {
    body,
    headers: {
      'X-Webhook-Event': type,
      'X-Webhook-Timestamp': timestamp,
      'X-Webhook-Id': webhookId,
      ...(isTest && { 'X-Webhook-Test': 'true' }),
    },
    signatures: {
      ...(secret !== undefined && { 'X-Webhook-Signature': hexSignature(secret, body) }),
      ...(previous !== undefined && { 'X-Webhook-Signature-Previous': hexSignature(previous, body) }),
    },
  };
};

/** The body of every attempt. */
export const simpleBody = ({ type, timestamp, data }: StoredEvent) => {
  if (!isSimpleEvent(type)) throw new Error(`${type} does not exist in the simple format`);
  return { event: type, timestamp, data: simpleEventData(type, data) };
};

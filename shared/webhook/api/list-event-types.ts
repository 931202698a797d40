/** The events that webhooks can subscribe to, with samples as the test endpoint sends them. */
import type * as z from 'zod/mini';
import { eventNames, isSimpleEvent } from '../../contract/events/event-names.ts';
import { eventSummaries } from '../../contract/events/event-summaries.ts';
import type { WebhookEvent } from '../../contract/models/webhook.ts';
import { newId } from '../../platform/index.ts';
import { onlyAttempt } from '../request/message-types.ts';
import { simpleBody } from '../request/simple-message.ts';
import { standardBody } from '../request/standard-message.ts';
import { sampleEvent } from '../sample/sample-event.ts';

export const listEventTypes = (
  organization: { readonly id: string; readonly name: string },
  now: Date,
): z.input<typeof WebhookEvent>[] =>
  eventNames.map((name) => {
    const event = sampleEvent(name, organization, now);
    const attempt = { deliveryId: newId('delivery', now), attempt: 1, retry: onlyAttempt, isTest: true };
    return {
      name,
      description: eventSummaries[name],
      formats: isSimpleEvent(name) ? ['standard', 'simple'] : ['standard'],
      samples: { standard: standardBody(event, attempt), simple: isSimpleEvent(name) ? simpleBody(event) : null },
    };
  });

/** Sample events for testing webhooks: a complete one for every event name. */
import type { EventName } from '../../contract/events/event-names.ts';
import { sampleEventData } from '../../contract/samples/sample-event-data.ts';
import { iso, newId } from '../../platform/index.ts';
import type { StoredEvent } from '../model/record.ts';

export const sampleEvent = (
  name: EventName,
  { id, name: organizationName }: { readonly id: string; readonly name: string },
  now: Date,
): StoredEvent => ({
  id: newId('event', now),
  type: name,
  timestamp: iso(now),
  data: sampleEventData(name, { id, name: organizationName }, now),
});

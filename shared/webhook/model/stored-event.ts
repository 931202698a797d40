import { type EventName, eventNames } from '../../contract/events/event-names.ts';
import type { Item } from '../../platform/index.ts';
import type { StoredEvent } from './record.ts';

/** An event as the table keeps it. Throws for one that is not whole, or that only a later version knows: it must not be lost. */
export const readStoredEvent = ({ id, type, timestamp, data }: Item): StoredEvent => {
  const isWhole = typeof id === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null;
  if (!isWhole || !isEventName(type)) throw new Error('an event that cannot be read');
  return { id, type, timestamp, data };
};

const isEventName = (name: unknown): name is EventName => (eventNames as readonly unknown[]).includes(name);

import { type EventName, eventNames } from '../../contract/events/event-names.ts';
import type { Item } from '../../platform/index.ts';
import type { StoredEvent } from './record.ts';

/** Throws for an incomplete event and for one of a later version, so that its message is retried instead of lost. */
export const readStoredEvent = ({ id, type, timestamp, data, requestId }: Item): StoredEvent => {
  const isWhole = typeof id === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null;
  if (!isWhole || !isEventName(type)) throw new Error('unreadable event');
  return { id, type, timestamp, data, ...(typeof requestId === 'string' && { requestId }) };
};

const isEventName = (name: unknown): name is EventName => (eventNames as readonly unknown[]).includes(name);

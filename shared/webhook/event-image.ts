import { type EventName, eventNames } from '../contract/event-names.ts';
import { isId } from '../contract/id.ts';
import { type ImageAttribute, readImage } from '../platform/index.ts';
import type { StoredEvent } from './record.ts';

/** An event as the stream tells of it, and whose it is; undefined for what is none, or none that is known here. */
export const readEvent = (
  image: Readonly<Record<string, ImageAttribute>>,
): { readonly organizationId: string; readonly event: StoredEvent } | undefined => {
  const { pk, id, type, timestamp, data } = readImage(image);
  const organizationId = String(pk).replace(/^ORG#/, '');
  const isWhole = isId('organization', organizationId) && isId('event', String(id)) && typeof timestamp === 'string';
  if (!isWhole || !isEventName(type) || typeof data !== 'object' || data === null) return undefined;
  return { organizationId, event: { id: String(id), type, timestamp, data } };
};

const isEventName = (name: unknown): name is EventName => (eventNames as readonly unknown[]).includes(name);

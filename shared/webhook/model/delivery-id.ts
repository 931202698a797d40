import { createHash } from 'node:crypto';
import { idPrefixes } from '../../contract/ids.ts';

/** The ULID alphabet: five bits per character. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;
const digestLength = 16;

/**
 * Derived from event and webhook, so that matching an event twice creates one delivery. It begins with the event's time, so that
 * deliveries sort by time; the rest is 80 bits of a digest.
 */
export const deliveryIdOf = (eventId: string, webhookId: string): string => {
  const time = eventId.slice(idPrefixes.event.length + 1).slice(0, timeLength);
  const digest = createHash('sha256').update(`${eventId}\n${webhookId}`).digest();
  const rest = Array.from({ length: digestLength }, (_, n) => digits[fiveBits(digest, 5 * n)]).join('');
  return `${idPrefixes.delivery}_${time}${rest}`;
};

/** Five bits, starting at `bit`; they span at most two bytes. */
const fiveBits = (bytes: Buffer, bit: number): number => (bytes.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31;

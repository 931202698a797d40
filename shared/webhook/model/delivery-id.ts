import { createHash } from 'node:crypto';
import { idPrefixes } from '../../contract/ids.ts';

/** As ULIDs write bits: five to a character. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;
const restLength = 16;

/**
 * The same event for the same webhook has the same id for ever, whoever works it out and however often: that is what keeps
 * one delivery one. It begins with the event's time, so that deliveries sort by it; the rest is 80 bits of a digest.
 */
export const deliveryIdOf = (eventId: string, webhookId: string): string => {
  const time = eventId.slice(idPrefixes.event.length + 1).slice(0, timeLength);
  const digest = createHash('sha256').update(`${eventId}\n${webhookId}`).digest();
  const rest = Array.from({ length: restLength }, (_, n) => digits[fiveBits(digest, 5 * n)]).join('');
  return `${idPrefixes.delivery}_${time}${rest}`;
};

/** Of the bits from this one on; they lie in two bytes at most. */
const fiveBits = (bytes: Buffer, bit: number): number => (bytes.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31;

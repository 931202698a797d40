import { createHash } from 'node:crypto';
import { idPrefixes } from '../contract/id.ts';

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
  const bits = digest.readBigUInt64BE(0) * 65_536n + BigInt(digest.readUInt16BE(8));
  const rest = Array.from({ length: restLength }, (_, n) => digits[Number((bits >> BigInt(75 - 5 * n)) & 31n)]).join('');
  return `${idPrefixes.delivery}_${time}${rest}`;
};

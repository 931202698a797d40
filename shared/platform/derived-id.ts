/** Ids that follow from their content, so that creating a thing twice creates it once. */
import { createHash } from 'node:crypto';
import { type IdKind, idPrefixes } from '../contract/ids.ts';

/** The ULID alphabet: five bits per character. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;
const digestLength = 16;

/** Begins with the time of the id `sortedWith`, so that both sort alike. The rest is 80 bits of a digest of `text`. */
export const derivedId = (kind: IdKind, sortedWith: string, text: string): string => {
  const time = sortedWith.slice(sortedWith.indexOf('_') + 1).slice(0, timeLength);
  const digest = createHash('sha256').update(text).digest();
  const rest = Array.from({ length: digestLength }, (_, n) => digits[fiveBits(digest, 5 * n)]).join('');
  return `${idPrefixes[kind]}_${time}${rest}`;
};

/** Five bits, starting at `bit`; they span at most two bytes. */
const fiveBits = (bytes: Buffer, bit: number): number => (bytes.readUInt16BE(bit >> 3) >> (11 - (bit & 7))) & 31;

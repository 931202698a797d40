/** A set of hashes that never lacks one that was added: `hashes u8 | bytes u16 | bits`, as in a section of a filter object. */
import { ArchiveError } from '../primitives/archive-error.ts';
import { finalHash } from './text-hash.ts';

export const bloomHeadBytes = 3;
/** So that a section of 256 leaves fits into a frame. */
export const bloomBytesMax = 16_384;

/** Contains everything: it says nothing. */
export const anything = Buffer.alloc(bloomHeadBytes);

export const bloomBytes = (values: number, bitsPerValue: number): number => Math.ceil((values * bitsPerValue) / 8);

/** The filter of these hashes; of none, if it would be too large. */
export const encodeBloom = (values: ReadonlySet<number>, bitsPerValue: number): Buffer => {
  const bytes = bloomBytes(values.size, bitsPerValue);
  if (bytes > bloomBytesMax) return anything;
  const hashes = Math.max(1, Math.round(bitsPerValue * Math.LN2));
  const out = Buffer.alloc(bloomHeadBytes + bytes);
  out.writeUInt8(hashes);
  out.writeUInt16BE(bytes, 1);
  for (const value of values)
    for (let n = 0; n < hashes; n++) {
      const bit = bitOf(value, n, bytes);
      out[bloomHeadBytes + (bit >>> 3)] = (out[bloomHeadBytes + (bit >>> 3)] ?? 0) | (1 << (bit & 7));
    }
  return out;
};

/** Where the filters of a section start; throws unless there are exactly `count`. */
export const bloomStarts = (section: Buffer, count: number): readonly number[] => {
  const starts: number[] = [];
  let at = 0;
  for (let n = 0; n < count; n++) {
    if (at + bloomHeadBytes > section.length) throw invalid();
    starts.push(at);
    const bytes = section.readUInt16BE(at + 1);
    if (bytes > bloomBytesMax) throw invalid();
    at += bloomHeadBytes + bytes;
  }
  if (at !== section.length) throw invalid();
  return starts;
};

/** Whether the filter says nothing about what it contains. */
export const isUnknown = (section: Buffer, start: number): boolean => section.readUInt8(start) === 0;

export const mayContain = (section: Buffer, start: number, value: number): boolean => {
  const hashes = section.readUInt8(start);
  const bytes = section.readUInt16BE(start + 1);
  if (hashes > 0 && bytes === 0) return false;
  for (let n = 0; n < hashes; n++) {
    const bit = bitOf(value, n, bytes);
    if (((section[start + bloomHeadBytes + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
};

/** Independent of each other also in the smallest filters, where steps of one width would meet. */
const bitOf = (value: number, n: number, bytes: number): number => finalHash((value + Math.imul(n, step)) | 0) % (8 * bytes);
const step = 0x9e3779b9;

const invalid = (): ArchiveError => new ArchiveError('index-invalid', 'a section of a filter does not have one filter per leaf');

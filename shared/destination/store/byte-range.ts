/** How much of an object is asked for, and so how much of an answer is taken: a store that sends more is not read on. */
import { type ByteRange, StorageError } from './object-store.ts';

export interface ReadRequest {
  /** Undefined for the whole. */
  readonly range: { readonly offset: number; readonly length: number } | undefined;
  readonly maxBytes: number;
}

/** What is read whole is read into memory: a key file, or a manifest, of which none is larger. */
const wholeMaxBytes = 80 << 20;

/** An answer that is no object (a list, an error) is far below this: a thousand of the longest names make 3 MiB. */
export const answerMaxBytes = 8 << 20;

export const toReadRequest = (extent: ByteRange = { maxBytes: wholeMaxBytes }): ReadRequest =>
  'maxBytes' in extent ? { range: undefined, maxBytes: extent.maxBytes } : { range: extent, maxBytes: extent.length };

/** The form of a range that both protocols take. */
export const rangeHeader = ({ offset, length }: { readonly offset: number; readonly length: number }): string =>
  `bytes=${offset}-${offset + length - 1}`;

export const tooShort = (): StorageError => new StorageError('invalid', 'The object is shorter than it should be.');
export const tooLarge = (): StorageError => new StorageError('invalid', 'The store sends more than it should.');

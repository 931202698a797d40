import { type ByteRange, StorageError } from './object-store.ts';

/** The range of an object to request, and the most bytes that are read from the response. */
export interface ReadRequest {
  /** Undefined for the whole object. */
  readonly range: { readonly offset: number; readonly length: number } | undefined;
  readonly maxBytes: number;
}

/** Objects that are read whole (key files and manifests) are not larger than this. */
const wholeMaxBytes = 80 << 20;

/** Limit of a response that is no object, such as a list or an error: a thousand names of maximum length take 3 MiB. */
export const answerMaxBytes = 8 << 20;

export const toReadRequest = (extent: ByteRange = { maxBytes: wholeMaxBytes }): ReadRequest =>
  'maxBytes' in extent ? { range: undefined, maxBytes: extent.maxBytes } : { range: extent, maxBytes: extent.length };

/** The syntax of S3 and of Cloud Storage. */
export const rangeHeader = ({ offset, length }: { readonly offset: number; readonly length: number }): string =>
  `bytes=${offset}-${offset + length - 1}`;

/** Reads a stream of at most `maxBytes`. Leaving the loop destroys the stream. */
export const collect = async (stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
};

export const tooShort = (): StorageError => new StorageError('invalid', 'The object is shorter than expected.');
export const tooLarge = (): StorageError => new StorageError('invalid', 'The store sent more data than expected.');

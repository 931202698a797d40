import { tooLarge } from './extent.ts';

/** An answer that is no object (a list, an error) is far below this: a thousand of the longest names make 3 MiB. */
export const answerMaxBytes = 8 << 20;

/** All of a body that is no longer than it may be. One that is too long is ended, not read on; leaving the loop ends the stream. */
export const readBody = async (body: AsyncIterable<Uint8Array | string>, maxBytes: number): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    size += bytes.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(bytes);
  }
  return Buffer.concat(pieces, size);
};

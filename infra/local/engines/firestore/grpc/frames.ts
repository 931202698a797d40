import { gunzipSync, inflateSync } from 'node:zlib';
import { type Message, RpcError } from '../base/types.ts';

/** The service's maximum request size: 11 MiB. */
export const maxRequestBytes = 11_534_336;

const headerBytes = 5;

/** Frames messages with 5-byte headers in one buffer, for a single write. */
export function frame(messages: readonly Message[]): Buffer {
  let size = 0;
  for (const message of messages) size += headerBytes + message.length;
  const out = Buffer.allocUnsafe(size);
  let at = 0;
  for (const message of messages) {
    const length = message.length;
    out[at] = 0;
    out[at + 1] = length >>> 24;
    out[at + 2] = length >>> 16;
    out[at + 3] = length >>> 8;
    out[at + 4] = length;
    at += headerBytes;
    if (message instanceof Uint8Array) {
      out.set(message, at);
      at += length;
    } else at = message.copyTo(out, at);
  }
  return out;
}

/** Splits the bytes of a request into messages, however they are chunked. */
export class Unframer {
  readonly #encoding: string;
  readonly #header = Buffer.alloc(headerBytes);
  #headerFilled = 0;
  #message: Buffer | undefined;
  #messageFilled = 0;

  constructor(encoding = 'identity') {
    this.#encoding = encoding;
  }

  /** Whether a message is incomplete. */
  get isInside(): boolean {
    return this.#headerFilled > 0;
  }

  /** The messages completed by `chunk`. Throws before buffering a message that is too large. */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#headerFilled < headerBytes) {
        const copied = chunk.copy(this.#header, this.#headerFilled, at);
        this.#headerFilled += copied;
        at += copied;
        if (this.#headerFilled < headerBytes) break;
        this.#begin();
      }
      const length = this.#header.readUInt32BE(1);
      const wanted = Math.min(length - this.#messageFilled, chunk.length - at);
      if (this.#messageFilled === 0 && wanted === length) this.#message = chunk.subarray(at, at + length);
      else {
        this.#message ??= Buffer.allocUnsafe(length);
        chunk.copy(this.#message, this.#messageFilled, at, at + wanted);
      }
      this.#messageFilled += wanted;
      at += wanted;
      if (this.#messageFilled === length && this.#message) {
        messages.push(this.#opened(this.#message));
        this.#headerFilled = 0;
        this.#message = undefined;
        this.#messageFilled = 0;
      }
    }
    return messages;
  }

  #begin(): void {
    const length = this.#header.readUInt32BE(1);
    if ((this.#header[0] ?? 0) > 1) throw new RpcError('INTERNAL', 'Unknown compression flag in a message frame.');
    if (length > maxRequestBytes) throw tooLarge();
    if (length === 0) this.#message = Buffer.alloc(0);
  }

  #opened(message: Buffer): Buffer {
    if (this.#header[0] === 0) return message;
    try {
      if (this.#encoding === 'gzip') return gunzipSync(message, { maxOutputLength: maxRequestBytes });
      if (this.#encoding === 'deflate') return inflateSync(message, { maxOutputLength: maxRequestBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw new RpcError('INTERNAL', `Could not decompress the request: ${(error as Error).message}`);
    }
    throw new RpcError('INTERNAL', 'Compressed flag set on a message whose encoding is identity.');
  }
}

const tooLarge = (): RpcError =>
  new RpcError('INVALID_ARGUMENT', `Request payload size exceeds the limit: ${maxRequestBytes} bytes.`);

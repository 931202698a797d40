import { RpcError } from './status.ts';

/** Where a document lies in the bytes it came in, and what of it is known without decoding it. */
export interface RawDocument {
  /** The encoded google.firestore.v1.Document, as the source sent it. */
  start: number;
  end: number;
  nameStart: number;
  nameEnd: number;
  createdSeconds: number;
  createdNanos: number;
  updatedSeconds: number;
  updatedNanos: number;
}

/** Finds the document of a RunQueryResponse, its name and its times. One object serves all messages: nothing is allocated. */
export class ResponseSkim implements RawDocument {
  start = 0;
  end = 0;
  nameStart = 0;
  nameEnd = 0;
  createdSeconds = 0;
  createdNanos = 0;
  updatedSeconds = 0;
  updatedNanos = 0;
  #at = 0;
  #seconds = 0;
  #nanos = 0;

  /** Whether the message that lies there has a document. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    let found = false;
    this.#at = from;
    while (this.#at < to) {
      const tag = this.#varint(bytes, to);
      if (tag !== 0x0a) {
        this.#skip(tag % 8, bytes, to);
        continue;
      }
      const length = this.#varint(bytes, to);
      const end = this.#at + length;
      if (end > to) throw broken();
      this.#document(bytes, this.#at, end);
      found = true;
    }
    if (found && this.nameEnd === this.nameStart) throw broken();
    return found;
  }

  #document(bytes: Uint8Array, start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.nameStart = this.nameEnd = start;
    this.createdSeconds = this.createdNanos = this.updatedSeconds = this.updatedNanos = 0;
    while (this.#at < end) {
      const tag = this.#varint(bytes, end);
      if (tag !== 0x0a && tag !== 0x1a && tag !== 0x22) {
        this.#skip(tag % 8, bytes, end);
        continue;
      }
      const length = this.#varint(bytes, end);
      const from = this.#at;
      const to = from + length;
      if (to > end) throw broken();
      if (tag === 0x0a) {
        this.nameStart = from;
        this.nameEnd = to;
      } else {
        this.#timestamp(bytes, to);
        if (tag === 0x1a) {
          this.createdSeconds = this.#seconds;
          this.createdNanos = this.#nanos;
        } else {
          this.updatedSeconds = this.#seconds;
          this.updatedNanos = this.#nanos;
        }
      }
      this.#at = to;
    }
  }

  #timestamp(bytes: Uint8Array, to: number): void {
    this.#seconds = this.#nanos = 0;
    while (this.#at < to) {
      const tag = this.#varint(bytes, to);
      if (tag === 0x08) this.#seconds = this.#varint(bytes, to);
      else if (tag === 0x10) this.#nanos = this.#varint(bytes, to);
      else this.#skip(tag % 8, bytes, to);
    }
  }

  /** Of what is read here nothing is negative or beyond 2^53. */
  #varint(bytes: Uint8Array, end: number): number {
    let value = 0;
    for (let scale = 1; this.#at < end && scale < 2 ** 64; scale *= 128) {
      const byte = bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw broken();
  }

  #skip(type: number, bytes: Uint8Array, end: number): void {
    if (type === 0) this.#varint(bytes, end);
    else if (type === 1) this.#at += 8;
    else if (type === 5) this.#at += 4;
    else if (type === 2) {
      const length = this.#varint(bytes, end);
      this.#at += length;
    } else throw broken();
    if (this.#at > end) throw broken();
  }
}

const broken = (): RpcError => new RpcError('INTERNAL', 'The source sent what is no document.');

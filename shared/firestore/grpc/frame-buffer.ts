import { RpcError } from './status.ts';

/** A document is at most 1 MiB, on some editions more; what claims to be larger than this is no answer of the source. */
const messageBytesMax = 64 << 20;

export const headerBytes = 5;

/** Collects the bytes of a call's answer in one piece of memory that is used over and over: frames of 5 bytes and a message. */
export class FrameBuffer {
  bytes: Buffer;
  filled = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  push(chunk: Buffer): void {
    const needed = this.filled + chunk.length;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.filled);
      this.bytes = larger;
    }
    chunk.copy(this.bytes, this.filled);
    this.filled = needed;
  }

  /** The end of the frame that begins at `at`; undefined if it is not whole yet. */
  frameEnd(at: number): number | undefined {
    if (at + headerBytes > this.filled) return undefined;
    if (this.bytes[at] !== 0) throw new RpcError('INTERNAL', 'The source sent a compressed message, though none was asked for.');
    const length = this.bytes.readUInt32BE(at + 1);
    if (length > messageBytesMax) throw new RpcError('INTERNAL', 'The source sent a message too large to be a document.');
    const end = at + headerBytes + length;
    return end > this.filled ? undefined : end;
  }

  /** How much must come before the first frame is whole; as far as its header tells. */
  get firstFrameBytes(): number {
    return this.filled < headerBytes ? headerBytes : headerBytes + this.bytes.readUInt32BE(1);
  }

  /** Forgets what lies before `end`. */
  drop(end: number): void {
    this.bytes.copyWithin(0, end, this.filled);
    this.filled -= end;
  }
}

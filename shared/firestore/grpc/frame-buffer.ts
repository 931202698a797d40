import { RpcError } from './status.ts';

/** A document has at most 1 MiB, in some editions more; a larger message is invalid. */
const messageBytesMax = 64 << 20;

export const headerBytes = 5;

/** Reusable buffer for the response of a call: frames of a 5-byte header and a message. */
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

  /** The end of the frame that starts at `at`; undefined if it is incomplete. */
  frameEnd(at: number): number | undefined {
    if (at + headerBytes > this.filled) return undefined;
    if (this.bytes[at] !== 0) throw new RpcError('INTERNAL', 'The source sent a compressed message, which was not requested.');
    const length = this.bytes.readUInt32BE(at + 1);
    if (length > messageBytesMax) throw new RpcError('INTERNAL', 'The source sent a message too large to be a document.');
    const end = at + headerBytes + length;
    return end > this.filled ? undefined : end;
  }

  /** Calls `take` with the position of every complete message; returns where the incomplete rest starts. */
  forEachMessage(take: (start: number, end: number) => void): number {
    let at = 0;
    for (let end = this.frameEnd(at); end !== undefined; end = this.frameEnd(at)) {
      take(at + headerBytes, end);
      at = end;
    }
    return at;
  }

  /** The number of bytes until the first frame is complete, as far as known. */
  get firstFrameBytes(): number {
    return this.filled < headerBytes ? headerBytes : headerBytes + this.bytes.readUInt32BE(1);
  }

  /** Drops the bytes before `end`. */
  drop(end: number): void {
    this.bytes.copyWithin(0, end, this.filled);
    this.filled -= end;
  }
}

import { createHash, type Hash, hash } from 'node:crypto';
import { ArchiveError } from '../primitives/archive-error.ts';
import { encodeBase64 } from '../primitives/bytes.ts';
import { maxFrames } from '../primitives/format-limits.ts';
import type { Identity } from '../primitives/identity.ts';
import { defaultLevel } from '../primitives/zstd.ts';
import { FrameSealer, type Inspect, type SelfCheck } from './frame-sealer.ts';
import { encodeHeader, type Header, noncePrefixBytes, saltBytes } from './header.ts';

/** What every writer needs. */
export interface WriterOptions {
  readonly identity: Identity;
  /** 32 bytes, of this backup alone. */
  readonly dataKey: Uint8Array;
  /** Bytes that nobody can predict; each object begun takes its salt and nonce prefix from it. */
  readonly random: (bytes: number) => Uint8Array;
  /** zstd level, 3 unless said. */
  readonly level?: number;
  /** `sealed` unless said. */
  readonly check?: SelfCheck;
  readonly inspect?: Inspect;
}

/** What the manifest says about an object: enough to notice any other object in its place, and to read parts of it. */
export interface ObjectEntry {
  readonly backup: string;
  readonly name: string;
  readonly size: number;
  readonly frames: number;
  /** Records of a chunk, segments of an index. */
  readonly records: number;
  /** Of the bytes as stored. */
  readonly sha256: string;
  /** SHA-256 over the SHA-256 of each frame before compression, in order. */
  readonly plainSha256: string;
  readonly salt: string;
  readonly noncePrefix: string;
}

/** Where a frame went, and the SHA-256 of what is in it. */
export interface FrameLocation {
  readonly frame: number;
  readonly offset: number;
  readonly length: number;
  readonly sha256: Buffer;
}

/**
 * Writes one sealed object. Bytes wait inside until taken: a caller that takes them whenever `pendingBytes` reaches the
 * size of an upload part holds one part and one frame, however long the object is. An object cannot be resumed: begun
 * again it has a new salt, so no key and nonce are ever used twice.
 */
export class ObjectWriter {
  readonly #header: Header;
  readonly #sealer: FrameSealer;
  readonly #stored: Hash = createHash('sha256');
  readonly #plain: Hash = createHash('sha256');
  #pieces: Buffer[] = [];
  #frames = 0;
  #size = 0;
  #ended = false;
  /** Bytes ready to be taken. */
  pendingBytes = 0;

  constructor(name: string, options: WriterOptions) {
    const { identity, dataKey, random, level = defaultLevel, check = 'sealed', inspect } = options;
    const noise = Buffer.from(random(saltBytes + noncePrefixBytes));
    if (noise.length !== saltBytes + noncePrefixBytes) throw new RangeError('randomness of the wrong length');
    this.#header = { identity, name, salt: noise.subarray(0, saltBytes), noncePrefix: noise.subarray(saltBytes) };
    this.#sealer = new FrameSealer(this.#header, dataKey, { level, check, inspect });
    this.#push(encodeHeader(this.#header));
  }

  seal(plain: Buffer, last: boolean): FrameLocation {
    if (this.#ended) throw new Error('the last frame was written already');
    if (this.#frames >= maxFrames) throw new ArchiveError('too-large', 'an object has no more than 2^32 frames');
    const [frame, offset, sha256] = [this.#frames++, this.#size, hash('sha256', plain, 'buffer')];
    for (const piece of this.#sealer.seal(plain, frame, last)) this.#push(piece);
    this.#plain.update(sha256);
    this.#ended = last;
    return { frame, offset, length: this.#size - offset, sha256 };
  }

  /** The bytes written since the last time, in order. */
  take(): readonly Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.pendingBytes = 0;
    return pieces;
  }

  entry(records: number): ObjectEntry {
    if (!this.#ended) throw new Error('the last frame is not written yet');
    return {
      backup: this.#header.identity.backup,
      name: this.#header.name,
      size: this.#size,
      frames: this.#frames,
      records,
      sha256: this.#stored.copy().digest('base64url'),
      plainSha256: this.#plain.copy().digest('base64url'),
      salt: encodeBase64(this.#header.salt),
      noncePrefix: encodeBase64(this.#header.noncePrefix),
    };
  }

  #push(piece: Buffer): void {
    this.#stored.update(piece);
    this.#pieces.push(piece);
    this.#size += piece.length;
    this.pendingBytes += piece.length;
  }
}

import { createHash, type Hash, hash } from 'node:crypto';
import { ArchiveError } from '../primitives/archive-error.ts';
import { encodeBase64 } from '../primitives/bytes.ts';
import { maxFrames } from '../primitives/format-limits.ts';
import type { Identity } from '../primitives/identity.ts';
import { defaultLevel } from '../primitives/zstd.ts';
import type { PackedFrame } from './frame-opener.ts';
import { FrameSealer, type Inspect, type SelfCheck } from './frame-sealer.ts';
import { encodeHeader, type Header, noncePrefixBytes, saltBytes } from './header.ts';

export interface WriterOptions {
  readonly identity: Identity;
  /** 32 bytes, unique to this backup. */
  readonly dataKey: Uint8Array;
  /** Cryptographically secure; every started object takes its salt and nonce prefix from it. */
  readonly random: (bytes: number) => Uint8Array;
  readonly level?: number;
  readonly check?: SelfCheck;
  readonly inspect?: Inspect;
}

/** The manifest entry of an object: enough to detect a replaced object and to read parts of it. */
export interface ObjectEntry {
  readonly backup: string;
  readonly name: string;
  readonly size: number;
  readonly frames: number;
  /** Number of records (chunk) or segments (index). */
  readonly records: number;
  /** Hash of the stored bytes. */
  readonly sha256: string;
  /** SHA-256 over the SHA-256 of each uncompressed frame, in order. */
  readonly plainSha256: string;
  readonly salt: string;
  readonly noncePrefix: string;
}

export interface FrameLocation {
  readonly frame: number;
  readonly offset: number;
  readonly length: number;
  readonly sha256: Buffer;
}

/**
 * Writes one sealed object. Callers take pending bytes whenever `pendingBytes` reaches the size of an upload part, so memory
 * holds one part and one frame. An object cannot be resumed: a restarted object has a new salt, so no key and nonce pair is
 * reused.
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
  pendingBytes = 0;

  constructor(name: string, options: WriterOptions) {
    const { identity, dataKey, random, level = defaultLevel, check = 'sealed', inspect } = options;
    const entropy = Buffer.from(random(saltBytes + noncePrefixBytes));
    if (entropy.length !== saltBytes + noncePrefixBytes) throw new RangeError('random returned the wrong number of bytes');
    this.#header = { identity, name, salt: entropy.subarray(0, saltBytes), noncePrefix: entropy.subarray(saltBytes) };
    this.#sealer = new FrameSealer(this.#header, dataKey, { level, check, inspect });
    this.#push(encodeHeader(this.#header));
  }

  seal(plain: Buffer, last: boolean): FrameLocation {
    return this.#write(hash('sha256', plain, 'buffer'), last, (frame) => this.#sealer.seal(plain, frame, last));
  }

  /** Writes the content of an authenticated frame of another object. `sha256` is that of the uncompressed content. */
  sealPacked(content: PackedFrame, sha256: Buffer, last: boolean): FrameLocation {
    return this.#write(sha256, last, (frame) => this.#sealer.sealPacked(content, frame, last));
  }

  #write(sha256: Buffer, last: boolean, seal: (frame: number) => readonly Buffer[]): FrameLocation {
    if (this.#ended) throw new Error('the last frame was already written');
    if (this.#frames >= maxFrames) throw new ArchiveError('too-large', 'the object has more than 2^32 frames');
    const [frame, offset] = [this.#frames++, this.#size];
    for (const piece of seal(frame)) this.#push(piece);
    this.#plain.update(sha256);
    this.#ended = last;
    return { frame, offset, length: this.#size - offset, sha256 };
  }

  /** The bytes written since the last call, in order. */
  take(): readonly Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.pendingBytes = 0;
    return pieces;
  }

  entry(records: number): ObjectEntry {
    if (!this.#ended) throw new Error('the last frame has not been written');
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

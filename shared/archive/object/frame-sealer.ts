import type { KeyObject } from 'node:crypto';
import { gcmOpen, gcmSeal } from '../primitives/aes-gcm.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { frameLengthBytes, maxPlainBytes, plainLengthBytes, tagBytes } from '../primitives/format-limits.ts';
import { compress, decompress } from '../primitives/zstd.ts';
import { FrameBinding, frameNonce, objectKey } from './frame-binding.ts';
import type { PackedFrame } from './frame-opener.ts';
import type { Header } from './header.ts';

/**
 * Read-back check against faulty memory or CPUs. `sealed` decrypts and compares; `restored` also decompresses and compares with
 * the records; `none` trusts the machine.
 */
export type SelfCheck = 'none' | 'sealed' | 'restored';

export class FrameSealer {
  readonly #key: KeyObject;
  readonly #prefix: Buffer;
  readonly #binding: FrameBinding;
  readonly #level: number;
  readonly #check: SelfCheck;
  readonly #inspect: Inspect | undefined;

  constructor(header: Header, dataKey: Uint8Array, options: SealOptions) {
    this.#key = objectKey(dataKey, header);
    this.#prefix = header.noncePrefix;
    this.#binding = new FrameBinding(header);
    this.#level = options.level;
    this.#check = options.check;
    this.#inspect = options.inspect;
  }

  /** The pieces of a whole frame, length first. Frame numbers of an object must never repeat. */
  seal(plain: Buffer, index: number, last: boolean): readonly Buffer[] {
    if (plain.length > maxPlainBytes) throw new ArchiveError('too-large', `a frame has ${plain.length} bytes`);
    const packed = compress(plain, this.#level);
    this.#inspect?.('compressed', packed);
    return this.#seal({ packed, plainBytes: plain.length }, { index, last, plain });
  }

  /** The same for the authenticated content of another frame, which stays compressed. */
  sealPacked(content: PackedFrame, index: number, last: boolean): readonly Buffer[] {
    return this.#seal(content, { index, last });
  }

  #seal(
    { packed, plainBytes }: PackedFrame,
    { index, last, plain }: { readonly index: number; readonly last: boolean; readonly plain?: Buffer },
  ): readonly Buffer[] {
    const plainLength = Buffer.allocUnsafe(plainLengthBytes);
    plainLength.writeUInt32BE(plainBytes);
    const nonce = frameNonce(this.#prefix, index, last);
    const binding = this.#binding.of(index, last, plainLengthBytes + packed.length);
    const sealed = gcmSeal(this.#key, { nonce, binding, pieces: [plainLength, packed] });
    for (const piece of sealed.pieces) this.#inspect?.('sealed', piece);
    if (this.#check !== 'none') {
      const read = gcmOpen(this.#key, { nonce, binding, pieces: sealed.pieces, tag: sealed.tag });
      if (!read?.[0]?.equals(plainLength) || !read[1]?.equals(packed)) throw failed(index);
      if (plain && this.#check === 'restored' && !isRestored(read[1], plain)) throw failed(index);
    }
    const length = Buffer.allocUnsafe(frameLengthBytes);
    length.writeUInt32BE(plainLengthBytes + packed.length + tagBytes);
    return [length, ...sealed.pieces, sealed.tag];
  }
}

const isRestored = (packed: Buffer, plain: Buffer): boolean => {
  try {
    return decompress(packed, plain.length).equals(plain);
  } catch {
    return false;
  }
};

const failed = (index: number): ArchiveError => new ArchiveError('self-check-failed', `frame ${index} cannot be read back`);

/** Test hook: sees, and may damage, the bytes of each frame before they are checked. */
export type Inspect = (after: 'compressed' | 'sealed', bytes: Buffer) => void;

interface SealOptions {
  readonly level: number;
  readonly check: SelfCheck;
  readonly inspect?: Inspect | undefined;
}

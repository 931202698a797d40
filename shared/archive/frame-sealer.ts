import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { FrameBinding, frameNonce, objectKey } from './binding.ts';
import { compress, decompress } from './compression.ts';
import { ArchiveError } from './error.ts';
import type { Header } from './header.ts';
import { frameLengthBytes, maxPlainBytes, plainLengthBytes, tagBytes } from './limit.ts';

/**
 * How what is about to be stored is read back, against faulty memory and processors: `sealed` decrypts and compares with
 * what was encrypted, `restored` also decompresses and compares with the records, `none` trusts the machine.
 */
export type SelfCheck = 'none' | 'sealed' | 'restored';

/** Compresses and encrypts the frames of one object. */
export class FrameSealer {
  readonly #key: KeyObject;
  readonly #prefix: Buffer;
  readonly #binding: FrameBinding;
  readonly #level: number;
  readonly #check: SelfCheck;
  readonly #inspect: ((sealed: Buffer) => void) | undefined;

  constructor(header: Header, dataKey: Uint8Array, options: SealOptions) {
    this.#key = objectKey(dataKey, header);
    this.#prefix = header.noncePrefix;
    this.#binding = new FrameBinding(header);
    this.#level = options.level;
    this.#check = options.check;
    this.#inspect = options.inspect;
  }

  /** The pieces of a whole frame, its length first; the frame numbers of an object must never repeat. */
  seal(plain: Buffer, index: number, last: boolean): readonly Buffer[] {
    if (plain.length > maxPlainBytes) throw new ArchiveError('too-large', `a frame of ${plain.length} bytes`);
    const packed = compress(plain, this.#level);
    const plainLength = Buffer.allocUnsafe(plainLengthBytes);
    plainLength.writeUInt32BE(plain.length);
    const nonce = frameNonce(this.#prefix, index, last);
    const sealedPlainBytes = plainLengthBytes + packed.length;
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(this.#binding.of(index, last, sealedPlainBytes));
    const start = Buffer.allocUnsafe(frameLengthBytes + plainLengthBytes);
    start.writeUInt32BE(sealedPlainBytes + tagBytes);
    start.set(cipher.update(plainLength), frameLengthBytes);
    const body = cipher.update(packed);
    cipher.final();
    const pieces = [start, body, cipher.getAuthTag()] as const;
    this.#inspect?.(body);
    if (this.#check !== 'none') this.#readBack(pieces, { plain, packed, plainLength, nonce, index, last });
    return pieces;
  }

  #readBack([start, body, tag]: readonly [Buffer, Buffer, Buffer], meant: Meant): void {
    const { plain, packed, plainLength, nonce, index, last } = meant;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(this.#binding.of(index, last, plainLengthBytes + packed.length)).setAuthTag(tag);
    const length = decipher.update(start.subarray(frameLengthBytes));
    const read = decipher.update(body);
    try {
      decipher.final();
      if (!length.equals(plainLength) || !read.equals(packed)) throw new Error('it decrypts to other bytes');
      if (this.#check === 'restored' && !decompress(read, plain.length).equals(plain))
        throw new Error('it decompresses to other bytes');
    } catch (cause) {
      throw new ArchiveError('self-check-failed', `frame ${index} cannot be read back`, { cause });
    }
  }
}

interface SealOptions {
  readonly level: number;
  readonly check: SelfCheck;
  /** Sees the ciphertext of each frame before it is checked: the place where a test damages it. */
  readonly inspect?: ((sealed: Buffer) => void) | undefined;
}

interface Meant {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly plainLength: Buffer;
  readonly nonce: Buffer;
  readonly index: number;
  readonly last: boolean;
}

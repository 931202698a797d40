import type { KeyObject } from 'node:crypto';
import { gcmOpen } from '../primitives/aes-gcm.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer } from '../primitives/bytes.ts';
import {
  frameLengthBytes,
  maxFrames,
  maxSealedBytes,
  minSealedBytes,
  plainLengthBytes,
  tagBytes,
} from '../primitives/format-limits.ts';
import { decompress } from '../primitives/zstd.ts';
import { FrameBinding, frameNonce, objectKey } from './frame-binding.ts';
import type { Header } from './header.ts';

/** The authenticated content of a frame: one zstd frame, and the length that it decompresses to. */
export interface PackedFrame {
  readonly packed: Buffer;
  readonly plainBytes: number;
}

export const unpack = ({ packed, plainBytes }: PackedFrame): Buffer => decompress(packed, plainBytes);

/** Opens frames of one object. Returns no byte of a frame before all of it is authenticated. */
export class FrameOpener {
  readonly #key: KeyObject;
  readonly #prefix: Buffer;
  readonly #binding: FrameBinding;

  constructor(header: Header, dataKey: Uint8Array) {
    this.#key = objectKey(dataKey, header);
    this.#prefix = header.noncePrefix;
    this.#binding = new FrameBinding(header);
  }

  /** Decrypts and decompresses a whole frame, including its length prefix. */
  open(frame: Uint8Array, index: number, last: boolean): Buffer {
    return unpack(this.unseal(frame, index, last));
  }

  /** Authenticates and decrypts a whole frame; its content stays compressed. */
  unseal(frame: Uint8Array, index: number, last: boolean): PackedFrame {
    const bytes = asBuffer(frame);
    if (bytes.length < frameLengthBytes || bytes.length !== frameLengthBytes + sealedLength(bytes))
      throw new ArchiveError('truncated', `frame ${index} does not have the length it declares`);
    const sealed = bytes.subarray(frameLengthBytes);
    const content = this.#decrypt(sealed, index, last);
    if (!content) throw this.#diagnose(sealed, index, last);
    return { packed: content.subarray(plainLengthBytes), plainBytes: content.readUInt32BE() };
  }

  #decrypt(sealed: Buffer, index: number, last: boolean): Buffer | undefined {
    const end = sealed.length - tagBytes;
    const nonce = frameNonce(this.#prefix, index, last);
    return gcmOpen(this.#key, {
      nonce,
      binding: this.#binding.of(index, last, end),
      pieces: [sealed.subarray(0, end)],
      tag: sealed.subarray(end),
    })?.[0];
  }

  /**
   * Diagnoses a frame that does not authenticate: a genuine frame at another position shows how the object was modified. Its
   * content is not used.
   */
  #diagnose(sealed: Buffer, index: number, last: boolean): ArchiveError {
    if (this.#decrypt(sealed, index, !last))
      return last
        ? new ArchiveError('truncated', `the object ends after frame ${index}, which is not its last`)
        : new ArchiveError('trailing-data', `bytes follow frame ${index}, which is the last`);
    for (const other of [index + 1, index - 1, index + 2])
      if (other >= 0 && other < maxFrames && (this.#decrypt(sealed, other, false) || this.#decrypt(sealed, other, true)))
        return new ArchiveError('frame-order', `found frame ${other} in place of frame ${index}`);
    return new ArchiveError('tag-mismatch', `frame ${index} failed authentication`);
  }
}

/** The declared length of a frame; checked before anything of that length is allocated or awaited. */
export const sealedLength = (bytes: Uint8Array): number => {
  const length = asBuffer(bytes).readUInt32BE();
  if (length > maxSealedBytes) throw new ArchiveError('too-large', `a frame declares ${length} sealed bytes`);
  if (length < minSealedBytes) throw new ArchiveError('truncated', `a frame declares only ${length} sealed bytes`);
  return length;
};

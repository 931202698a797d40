import { createSecretKey, type KeyObject } from 'node:crypto';
import { prefixed } from '../primitives/bytes.ts';
import { maxFrames } from '../primitives/format-limits.ts';
import { hkdf } from '../primitives/kdf.ts';
import { formatVersion, type Header, magic, noncePrefixBytes, saltBytes } from './header.ts';

const start = Buffer.concat([magic, Buffer.from([formatVersion])]);

/** The key of one object. It depends on salt, backup and name, so nonces need only be unique within an object. */
export const objectKey = (dataKey: Uint8Array, { identity, name, salt }: Header): KeyObject => {
  if (dataKey.length !== 32) throw new RangeError('a data key has 32 bytes');
  if (salt.length !== saltBytes) throw new RangeError(`a salt has ${saltBytes} bytes`);
  const info = Buffer.concat([start, prefixed(identity.backup), prefixed(name)]);
  return createSecretKey(hkdf(dataKey, salt, info));
};

/** Unique per frame of an object: contains the frame number and whether the frame is the last. */
export const frameNonce = (prefix: Uint8Array, index: number, last: boolean): Buffer => {
  if (prefix.length !== noncePrefixBytes) throw new RangeError(`a nonce prefix has ${noncePrefixBytes} bytes`);
  if (!Number.isInteger(index) || index < 0 || index >= maxFrames) throw new RangeError(`frame number ${index}`);
  const nonce = Buffer.allocUnsafe(12);
  nonce.set(prefix);
  nonce.writeUInt32BE(index, noncePrefixBytes);
  nonce.writeUInt8(last ? 1 : 0, noncePrefixBytes + 4);
  return nonce;
};

/**
 * Additional authenticated data of a frame. Texts are length-prefixed and numbers have fixed widths, so no two frames have the
 * same binding. The part shared by all frames of an object is built once.
 */
export class FrameBinding {
  readonly #bytes: Buffer;
  readonly #tail: number;

  constructor({ identity, name }: Header) {
    const shared = [start, ...[identity.organization, identity.project, identity.backup, name].map(prefixed)];
    this.#tail = shared.reduce((sum, part) => sum + part.length, 0);
    this.#bytes = Buffer.concat([...shared, Buffer.alloc(9)]);
  }

  /** Valid until the next call. */
  of(index: number, last: boolean, sealedPlainBytes: number): Buffer {
    this.#bytes.writeUInt32BE(index, this.#tail);
    this.#bytes.writeUInt8(last ? 1 : 0, this.#tail + 4);
    this.#bytes.writeUInt32BE(sealedPlainBytes, this.#tail + 5);
    return this.#bytes;
  }
}

import { createSecretKey, type KeyObject } from 'node:crypto';
import { prefixed } from '../primitives/bytes.ts';
import { maxFrames } from '../primitives/format-limits.ts';
import { hkdf } from '../primitives/kdf.ts';
import { type Header, magic, noncePrefixBytes, saltBytes, version } from './header.ts';

const start = Buffer.concat([magic, Buffer.from([version])]);

/** The key of one object: another salt, backup or name gives another key, so nonces need only differ within an object. */
export const objectKey = (dataKey: Uint8Array, { identity, name, salt }: Header): KeyObject => {
  if (dataKey.length !== 32) throw new RangeError('a data key has 32 bytes');
  if (salt.length !== saltBytes) throw new RangeError(`a salt has ${saltBytes} bytes`);
  const info = Buffer.concat([start, prefixed(identity.backup), prefixed(name)]);
  return createSecretKey(hkdf(dataKey, salt, info));
};

/** Never the same for two frames of an object: the number is in it, and so is whether the object ends here. */
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
 * What a frame is bound to besides its bytes. Texts carry their lengths and numbers have fixed widths, so two different
 * places never give the same bytes. The part that an object's frames share is made once.
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

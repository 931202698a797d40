import { keyPath } from '../base/path-key.ts';
import type { Micros, PathKey, StoredDocument } from '../base/types.ts';

/** A version of a document; decoded on demand. */
export class Snapshot implements StoredDocument {
  readonly key: PathKey;
  readonly createTime: Micros;
  readonly updateTime: Micros;
  readonly #buffer: Buffer;
  readonly #offset: number;
  readonly #length: number;

  constructor(key: PathKey, createTime: Micros, updateTime: Micros, buffer: Buffer, offset: number, length: number) {
    this.key = key;
    this.createTime = createTime;
    this.updateTime = updateTime;
    this.#buffer = buffer;
    this.#offset = offset;
    this.#length = length;
  }

  get path(): string {
    return keyPath(this.key);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#offset, this.#offset + this.#length);
  }
}

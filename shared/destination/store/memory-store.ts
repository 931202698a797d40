import { hash } from 'node:crypto';
import { tooLarge, tooShort, toReadRequest } from './byte-range.ts';
import {
  type ByteRange,
  type LockExtension,
  type ObjectState,
  type ObjectStore,
  type PutOptions,
  StorageError,
  type Upload,
  wholeSecond,
} from './object-store.ts';

/** A store in the memory of the process. */
export class MemoryStore implements ObjectStore {
  /** By name. Tests read and change it. */
  readonly objects = new Map<string, Uint8Array>();
  /** The ends of locks, by name. Enforced by nothing. */
  readonly locks = new Map<string, Date>();
  readonly #unfinished = new Map<object, string>();

  async put(name: string, bytes: Uint8Array, { lockedUntil, signal }: PutOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#set(name, Uint8Array.from(bytes), lockedUntil);
  }

  upload(name: string, { lockedUntil, signal }: PutOptions = {}): Upload {
    const pieces: Uint8Array[] = [];
    const self = {};
    let isOpen = true;
    this.#unfinished.set(self, name);
    const check = (): void => {
      signal?.throwIfAborted();
      if (!isOpen || !this.#unfinished.has(self)) throw new StorageError('invalid', 'The upload has ended.');
    };
    const end = (): void => {
      isOpen = false;
      this.#unfinished.delete(self);
    };
    return {
      write: async (more) => {
        check();
        pieces.push(...more.map((piece) => Uint8Array.from(piece)));
      },
      finish: async () => {
        check();
        end();
        const bytes = Uint8Array.from(Buffer.concat(pieces));
        this.#set(name, bytes, lockedUntil);
        return { size: bytes.length, checksum: checksumOf(bytes) };
      },
      abort: async () => end(),
    };
  }

  async get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const { range, maxBytes } = toReadRequest(extent);
    signal?.throwIfAborted();
    const bytes = this.objects.get(name);
    if (!bytes) throw new StorageError('missing', 'The object does not exist.');
    if (!range && bytes.length > maxBytes) throw tooLarge();
    if (!range) return Uint8Array.from(bytes);
    if (range.offset + range.length > bytes.length) throw tooShort();
    return Uint8Array.from(bytes.subarray(range.offset, range.offset + range.length));
  }

  async head(name: string): Promise<ObjectState | undefined> {
    const bytes = this.objects.get(name);
    return bytes && { size: bytes.length, checksums: [checksumOf(bytes)], lockedUntil: this.locks.get(name) };
  }

  async extendLock(name: string, _state: ObjectState, { until }: LockExtension): Promise<Date | undefined> {
    const locked = this.locks.get(name);
    if (locked === undefined || locked < until) this.locks.set(name, wholeSecond(until));
    return this.locks.get(name);
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    for (const [name, { length: size }] of [...this.objects]) {
      signal?.throwIfAborted();
      if (name.startsWith(prefix)) yield { name, size };
    }
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) this.objects.delete(name);
  }

  async abortUnfinishedUploads(prefix: string): Promise<number> {
    const abandoned = [...this.#unfinished].filter(([, name]) => name.startsWith(prefix));
    for (const [upload] of abandoned) this.#unfinished.delete(upload);
    return abandoned.length;
  }

  close(): void {}

  #set(name: string, bytes: Uint8Array, lockedUntil: Date | undefined): void {
    this.objects.set(name, bytes);
    if (lockedUntil) this.locks.set(name, wholeSecond(lockedUntil));
    else this.locks.delete(name);
  }
}

const checksumOf = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes)}`;

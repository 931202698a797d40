import { type ObjectStore, StorageError, type Upload } from '../../../../shared/destination/index.ts';

/** Counts bytes and drops them, so that only the engine is measured. */
export class DroppingStore implements ObjectStore {
  readonly #objects = new Map<string, { readonly size: number; readonly bytes?: Uint8Array }>();
  stored = 0;

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.stored += bytes.length;
    this.#objects.set(name, { size: bytes.length, bytes });
  }

  upload(name: string): Upload {
    let size = 0;
    return {
      write: async (pieces) => {
        for (const piece of pieces) size += piece.length;
      },
      finish: async () => {
        this.stored += size;
        this.#objects.set(name, { size });
        return { size };
      },
      abort: async () => undefined,
    };
  }

  async get(name: string): Promise<Uint8Array> {
    const { bytes } = this.#objects.get(name) ?? {};
    if (!bytes) throw new StorageError('missing', 'The object was dropped.');
    return bytes;
  }

  async head(name: string): Promise<{ readonly size: number } | undefined> {
    return this.#objects.get(name);
  }

  async extendLock(): Promise<undefined> {}

  async *list(): AsyncGenerator<{ readonly name: string; readonly size: number }> {
    for (const [name, { size }] of this.#objects) yield { name, size };
  }

  async remove(): Promise<void> {}

  async abortUnfinishedUploads(): Promise<number> {
    return 0;
  }

  close(): void {}
}

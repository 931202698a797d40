import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ObjectStore, StorageError, type Upload } from '../../../../shared/destination/index.ts';

/** A folder on disk, which several processes share. It checks nothing. */
export class FileStore implements ObjectStore {
  readonly #dir: string;
  stored = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.stored += bytes.length;
    await writeFile(await this.#path(name), bytes);
  }

  upload(name: string): Upload {
    const opened = this.#path(name).then((path) => open(path, 'w'));
    let size = 0;
    return {
      write: async (pieces) => {
        await (await opened).writev([...pieces]);
        for (const piece of pieces) size += piece.length;
      },
      finish: async () => {
        await (await opened).close();
        this.stored += size;
        return { size };
      },
      abort: async () => (await opened).close(),
    };
  }

  async get(
    name: string,
    range?: { readonly offset?: number; readonly length?: number; readonly maxBytes?: number },
  ): Promise<Uint8Array> {
    const found = await this.head(name);
    if (!found) throw new StorageError('missing', 'The object does not exist.');
    const { offset = 0, length = found.size } = range ?? {};
    const bytes = Buffer.allocUnsafe(length);
    const file = await open(await this.#path(name));
    const { bytesRead } = await file.read(bytes, 0, length, offset);
    await file.close();
    return bytes.subarray(0, bytesRead);
  }

  async head(name: string): Promise<{ readonly size: number } | undefined> {
    return stat(join(this.#dir, name)).then(
      ({ size }) => ({ size }),
      () => undefined,
    );
  }

  async extendLock(): Promise<undefined> {}

  async *list(): AsyncGenerator<{ readonly name: string; readonly size: number }> {
    for (const one of await readdir(this.#dir, { recursive: true, withFileTypes: true }))
      if (one.isFile()) {
        const path = join(one.parentPath, one.name);
        yield { name: path.slice(this.#dir.length + 1), size: (await stat(path)).size };
      }
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.#dir, name), { force: true });
  }

  async abortUnfinishedUploads(): Promise<number> {
    return 0;
  }

  close(): void {}

  async #path(name: string): Promise<string> {
    const path = join(this.#dir, name);
    await mkdir(dirname(path), { recursive: true });
    return path;
  }
}

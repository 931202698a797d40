import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { tooLarge, tooShort, toReadRequest } from '../../../shared/destination/store/byte-range.ts';
import {
  type ByteRange,
  type ObjectStore,
  type PutOptions,
  StorageError,
  type Upload,
} from '../../../shared/destination/store/object-store.ts';
import { randomToken } from '../../../shared/platform/index.ts';

/** Marks a file that is still being written. It lies in the folder of the object, so that the rename is atomic. */
const partialMark = '.partial-';

/** Stores objects in a local folder. An object is synced to disk before `put` or `finish` resolves. */
export class DirectoryStore implements ObjectStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  async put(name: string, bytes: Uint8Array, options: PutOptions = {}): Promise<void> {
    const upload = this.upload(name, options);
    try {
      await upload.write([bytes]);
      await upload.finish();
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }

  upload(name: string, { signal }: PutOptions = {}): Upload {
    const path = this.#path(name);
    const partial = `${path}${partialMark}${randomToken().slice(0, 12)}`;
    let file: Promise<FileHandle> | undefined;
    let size = 0;
    let isOpen = true;
    const begin = async (): Promise<FileHandle> => {
      await mkdir(dirname(path), { recursive: true });
      return open(partial, 'wx', 0o600);
    };
    const check = (): void => {
      signal?.throwIfAborted();
      if (!isOpen) throw new StorageError('invalid', 'The upload has ended.');
    };
    return {
      write: async (pieces) => {
        check();
        file ??= begin();
        const handle = await file.catch(fail);
        for (const piece of pieces) {
          // One call may write less than all.
          for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at).catch(fail)).bytesWritten;
          size += piece.length;
        }
      },
      finish: async () => {
        check();
        file ??= begin();
        const handle = await file.catch(fail);
        isOpen = false;
        try {
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(partial, path).catch(fail);
        return { size };
      },
      abort: async () => {
        if (!isOpen) return;
        isOpen = false;
        await (await file?.catch(() => undefined))?.close();
        await rm(partial, { force: true });
        await this.#tidy(dirname(path));
      },
    };
  }

  async get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const { range, maxBytes } = toReadRequest(extent);
    signal?.throwIfAborted();
    const handle = await open(this.#path(name), 'r').catch(fail);
    try {
      const { size } = await handle.stat();
      if (!range && size > maxBytes) throw tooLarge();
      const { offset, length } = range ?? { offset: 0, length: size };
      const bytes = Buffer.alloc(Math.min(length, Math.max(0, size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled !== length) throw tooShort();
      return bytes;
    } catch (error) {
      return fail(error);
    } finally {
      await handle.close();
    }
  }

  async head(name: string): Promise<{ size: number } | undefined> {
    try {
      const found = await stat(this.#path(name));
      return found.isFile() ? { size: found.size } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      return fail(error);
    }
  }

  async extendLock(): Promise<undefined> {
    throw new StorageError('invalid', 'A folder has no locks.');
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    for (const name of await this.#names()) {
      signal?.throwIfAborted();
      if (name.startsWith(prefix) && !name.includes(partialMark)) {
        const found = await this.head(name);
        if (found) yield { name, size: found.size };
      }
    }
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rm(this.#path(name), { force: true }).catch((error: unknown) => (isMissing(error) ? undefined : fail(error)));
      await this.#tidy(dirname(this.#path(name)));
    }
  }

  async abortUnfinishedUploads(prefix: string): Promise<number> {
    const partials = (await this.#names()).filter((name) => name.startsWith(prefix) && name.includes(partialMark));
    await this.remove(partials);
    return partials.length;
  }

  close(): void {}

  #path(name: string): string {
    const path = resolve(this.#root, name);
    if (!path.startsWith(this.#root + sep)) throw new StorageError('invalid', 'The name leads out of the folder.');
    return path;
  }

  async #names(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.#root, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath, entry.name)
            .slice(this.#root.length + 1)
            .replaceAll(sep, '/'),
        );
    } catch (error) {
      if (isMissing(error)) return [];
      return fail(error);
    }
  }

  /** A bucket has no empty folders. */
  async #tidy(folder: string): Promise<void> {
    for (let at = folder; at.startsWith(this.#root + sep); at = dirname(at)) {
      try {
        await rmdir(at);
      } catch {
        return;
      }
    }
  }
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;
const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

const fail = (error: unknown): never => {
  if (error instanceof StorageError) throw error;
  const code = String(codeOf(error));
  if (isMissing(error) || code === 'EISDIR') throw new StorageError('missing', 'There is no such object.', { cause: error });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    throw new StorageError('denied', `The folder refuses (${code}).`, { cause: error });
  throw new StorageError('unavailable', `The folder cannot be used (${code}).`, { cause: error });
};

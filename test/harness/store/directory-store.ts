import { type FileHandle, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { fail, isMissing, ReadOnlyDirectoryStore } from '../../../infra/archive/read-only-directory-store.ts';
import { type ObjectStore, type PutOptions, StorageError, type Upload } from '../../../shared/destination/index.ts';
import { randomToken } from '../../../shared/platform/index.ts';

/** Marks a file that is still being written. It lies in the folder of the object, so that the rename is atomic. */
const partialMark = '.partial-';

/** Stores objects in a local folder. An object is synced to disk before `put` or `finish` resolves. */
export class DirectoryStore extends ReadOnlyDirectoryStore implements ObjectStore {
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
    const path = this.path(name);
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
          // One call may write less than the whole piece.
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
        await this.#removeEmptyFolders(dirname(path));
      },
    };
  }

  override async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    for await (const object of super.list(prefix, signal)) if (!object.name.includes(partialMark)) yield object;
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rm(this.path(name), { force: true }).catch((error: unknown) => (isMissing(error) ? undefined : fail(error)));
      await this.#removeEmptyFolders(dirname(this.path(name)));
    }
  }

  async abortUnfinishedUploads(prefix: string): Promise<number> {
    const partials = (await this.names()).filter((name) => name.startsWith(prefix) && name.includes(partialMark));
    await this.remove(partials);
    return partials.length;
  }

  /** A bucket has no empty folders. */
  async #removeEmptyFolders(folder: string): Promise<void> {
    for (let at = folder; at.startsWith(this.root + sep); at = dirname(at)) {
      try {
        await rmdir(at);
      } catch {
        return;
      }
    }
  }
}

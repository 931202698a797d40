import { open, readdir, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type ByteRange, StorageError, tooLarge, tooShort, toReadRequest } from '../../shared/destination/index.ts';

/** Reads objects from a local folder. */
export class ReadOnlyDirectoryStore {
  protected readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  async get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const { range, maxBytes } = toReadRequest(extent);
    signal?.throwIfAborted();
    const handle = await open(this.path(name), 'r').catch(fail);
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
      const found = await stat(this.path(name));
      return found.isFile() ? { size: found.size } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      return fail(error);
    }
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    for (const name of await this.names()) {
      signal?.throwIfAborted();
      const found = name.startsWith(prefix) ? await this.head(name) : undefined;
      if (found) yield { name, size: found.size };
    }
  }

  close(): void {}

  protected path(name: string): string {
    const path = resolve(this.root, name);
    if (!path.startsWith(this.root + sep)) throw new StorageError('invalid', 'The object name points outside the folder.');
    return path;
  }

  protected async names(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.root, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath, entry.name)
            .slice(this.root.length + 1)
            .replaceAll(sep, '/'),
        );
    } catch (error) {
      if (isMissing(error)) return [];
      return fail(error);
    }
  }
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;
export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

/** Throws the error as a StorageError. */
export const fail = (error: unknown): never => {
  if (error instanceof StorageError) throw error;
  const code = String(codeOf(error));
  if (isMissing(error) || code === 'EISDIR') throw new StorageError('missing', 'The object does not exist.', { cause: error });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    throw new StorageError('denied', `Access to the folder was denied (${code}).`, { cause: error });
  throw new StorageError('unavailable', `The folder cannot be accessed (${code}).`, { cause: error });
};

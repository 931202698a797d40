import { open, readdir, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type ObjectStore, StorageError } from '../../../shared/destination/index.ts';

/** The part of a store that the command uses: it never writes to a bucket. */
export interface ReadOnlyStore extends Pick<ObjectStore, 'head' | 'list' | 'close' | 'versions'> {
  get(name: string, range: ReadRange): Promise<Uint8Array>;
  /** The same folder over connections of its own. The caller closes it. */
  readonly renew?: (() => Promise<ReadOnlyStore>) | undefined;
}

interface ReadRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * A local folder as a bucket. Objects are plain files, or files as the local stage's S3 stores them: `<object>.data` beside
 * `<object>.meta.json`.
 */
export class ReadOnlyDirectoryStore implements ReadOnlyStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  async get(name: string, range: ReadRange): Promise<Uint8Array> {
    try {
      return await this.#read(name, range);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'missing') throw error;
      return this.#read(stageFile(name), range);
    }
  }

  async head(name: string): Promise<{ size: number } | undefined> {
    return (await this.#file(name)) ?? this.#file(stageFile(name));
  }

  async *list(prefix: string): AsyncGenerator<{ name: string; size: number }> {
    const files = new Set((await this.#files()).filter((name) => name.startsWith(prefix)));
    for (const file of files) {
      const name = file.slice(0, -dataSuffix.length);
      const isStageFile = file.endsWith(dataSuffix) && files.has(`${name}${metaSuffix}`);
      const found = file.endsWith(metaSuffix) ? undefined : await this.#file(file);
      if (found) yield { name: isStageFile ? name : file, size: found.size };
    }
  }

  close(): void {}

  async #read(name: string, { offset, length }: ReadRange): Promise<Uint8Array> {
    const handle = await open(this.#path(name), 'r').catch(fail);
    try {
      const { size } = await handle.stat();
      const bytes = Buffer.alloc(Math.min(length, Math.max(0, size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled !== length) throw new StorageError('invalid', 'The object is shorter than it should be.');
      return bytes;
    } catch (error) {
      return fail(error);
    } finally {
      await handle.close();
    }
  }

  #path(name: string): string {
    const path = resolve(this.#root, name);
    if (!path.startsWith(this.#root + sep)) throw new StorageError('invalid', 'The name leads out of the folder.');
    return path;
  }

  async #file(name: string): Promise<{ size: number } | undefined> {
    try {
      const found = await stat(this.#path(name));
      return found.isFile() ? { size: found.size } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      return fail(error);
    }
  }

  async #files(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.#root, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return paths.map((path) => path.slice(this.#root.length + 1).replaceAll(sep, '/'));
    } catch (error) {
      if (isMissing(error)) return [];
      return fail(error);
    }
  }
}

const dataSuffix = '.data';
const metaSuffix = '.meta.json';

/** The local stage percent-encodes characters that file systems refuse. */
const stageFile = (name: string): string =>
  `${name.replace(/[<>:"|?*\\%]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)}${dataSuffix}`;

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;
const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

const fail = (error: unknown): never => {
  if (error instanceof StorageError) throw error;
  const code = String(codeOf(error));
  if (isMissing(error) || code === 'EISDIR') throw new StorageError('missing', 'There is no such object.', { cause: error });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    throw new StorageError('denied', `The folder denies access (${code}).`, { cause: error });
  throw new StorageError('unavailable', `The folder cannot be read (${code}).`, { cause: error });
};

import { StorageError } from '../../shared/destination/index.ts';
import type { Reading } from './open-location.ts';
import { ReadOnlyDirectoryStore } from './read-only-directory-store.ts';

/**
 * A folder of this machine as a bucket: objects as plain files, as any tool copies them down, or as the local stage's S3 keeps
 * them, `<object>.data` beside `<object>.meta.json`.
 */
export const openDisk = (folder: string): Reading => {
  const files = new ReadOnlyDirectoryStore(folder);
  const orKept = async <T>(name: string, read: (file: string) => Promise<T>, isFound: (answer: T) => boolean): Promise<T> => {
    try {
      const answer = await read(name);
      if (isFound(answer)) return answer;
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'missing') throw error;
    }
    return read(keptAs(name));
  };
  return {
    get: (name, range, signal) =>
      orKept(
        name,
        (file) => files.get(file, range, signal),
        () => true,
      ),
    head: (name) =>
      orKept(
        name,
        (file) => files.head(file),
        (found) => found !== undefined,
      ),
    list: async function* (prefix) {
      const found: { readonly name: string; readonly size: number }[] = [];
      for await (const file of files.list(prefix)) found.push(file);
      const names = new Set(found.map(({ name }) => name));
      for (const { name, size } of found) {
        const isKept = name.endsWith(data) && names.has(`${name.slice(0, -data.length)}${notes}`);
        if (!name.endsWith(notes)) yield { name: isKept ? name.slice(0, -data.length) : name, size };
      }
    },
    close: () => files.close(),
  };
};

const data = '.data';
const notes = '.meta.json';

/** What no file system takes is written as a percent sign and two digits. */
const keptAs = (name: string): string =>
  `${name.replace(/[<>:"|?*\\%]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)}${data}`;

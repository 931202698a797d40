import { keyFileName, manifestName, maxKeyFileBytes, maxManifestBytes } from '../../shared/archive/index.ts';
import { StorageError } from '../../shared/destination/index.ts';
import { damaged, failureOf } from './failure.ts';
import { grouped } from './output.ts';
import type { ReadOnlyStore } from './read-only-directory-store.ts';

/** The two objects that are read whole, and the most that each may have; sealing adds to a manifest less than 1 MiB. */
const mostBytes = { [keyFileName]: maxKeyFileBytes, [manifestName]: maxManifestBytes + (1 << 20) } as const;

/**
 * Reads the key or the manifest of the backup in `folder` ('' or with a slash at its end). Whoever may write into the bucket
 * may put anything there: its size is looked at before, and no more than that is read.
 */
export const readSmallObject = async (
  store: ReadOnlyStore,
  folder: string,
  object: keyof typeof mostBytes,
  shown: string = object,
): Promise<Uint8Array> => {
  const name = `${folder}${object}`;
  try {
    const size = await sizeOf(store, name);
    if (size > mostBytes[object])
      throw damaged(shown, `has ${grouped(size)} bytes, more than the ${grouped(mostBytes[object])} that one may have`);
    return await store.get(name, { offset: 0, length: size });
  } catch (error) {
    throw failureOf(error, shown);
  }
};

/** Whoever looks at an object is not told why it is refused, nor whether it is the bucket that is missing; a reader is. */
const sizeOf = async (store: ReadOnlyStore, name: string): Promise<number> => {
  try {
    const found = await store.head(name);
    if (found) return found.size;
    throw new StorageError('missing', 'There is no such object.');
  } catch (error) {
    if (!(error instanceof StorageError) || error.isTransient) throw error;
    await store.get(name, { offset: 0, length: 1 });
    throw error;
  }
};

import { keyFileName, maxKeyFileBytes, maxManifestBytes } from '../../../shared/archive/index.ts';
import { StorageError } from '../../../shared/destination/index.ts';
import { damaged, failureOf } from '../failure.ts';
import { grouped } from '../output.ts';
import type { ReadOnlyStore } from './read-only-directory-store.ts';

/** Of a manifest or an erasure ledger, which are read whole. Sealing adds less than 1 MiB. */
const maxSealedJsonBytes = maxManifestBytes + (1 << 20);

/**
 * Reads the key, the manifest or the erasure ledger of the backup in `folder` (empty or with a trailing slash). The bucket is untrusted: the size is
 * checked first, and no more is read.
 */
export const readSmallObject = async (
  store: ReadOnlyStore,
  { folder, object, label = object }: { readonly folder: string; readonly object: string; readonly label?: string | undefined },
): Promise<Uint8Array> => {
  const name = `${folder}${object}`;
  try {
    const size = await sizeOf(store, name);
    const limit = object === keyFileName ? maxKeyFileBytes : maxSealedJsonBytes;
    if (size > limit) throw damaged(label, `has ${grouped(size)} bytes; the limit is ${grouped(limit)}`);
    return await store.get(name, { offset: 0, length: size });
  } catch (error) {
    throw failureOf(error, label);
  }
};

/** HEAD responses do not say why they were denied or whether the bucket is missing; GET responses do. */
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

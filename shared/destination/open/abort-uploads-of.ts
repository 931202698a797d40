import type { ObjectStore } from '../store/object-store.ts';
import { removeEach } from '../store/remove-each.ts';

/**
 * Aborts all unfinished uploads of a folder, and returns their number. Some stores, such as MinIO, list an upload only by the exact
 * name of its object, so those that may exist are named.
 */
export const abortUploadsOf = async (store: ObjectStore, names: readonly string[], signal?: AbortSignal): Promise<number> => {
  let aborted = await store.abortUnfinishedUploads('', signal);
  await removeEach(names, async (name) => {
    aborted += await store.abortUnfinishedUploads(name, signal);
  });
  return aborted;
};

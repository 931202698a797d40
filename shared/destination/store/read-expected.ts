import { type ExpectedObject, type ObjectState, type ObjectStore, StorageError } from './object-store.ts';

/**
 * Runs `read`. If it fails although the store answers, and the bucket keeps the expected version below another one or a delete
 * marker, runs it again with that version.
 */
export const readExpected = async <T>(
  store: Pick<ObjectStore, 'versions'>,
  object: ExpectedObject,
  read: () => Promise<T>,
): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!(await selectAfter(error, store, object))) throw error;
    return read();
  }
};

/** After a failed read: whether the expected version was found. Not searched if the store did not answer. */
export const selectAfter = async (
  error: unknown,
  store: Pick<ObjectStore, 'versions'>,
  object: ExpectedObject,
): Promise<boolean> => {
  if (error instanceof StorageError && (error.isTransient || error.bucket)) return false;
  return (await store.versions?.select(object)) ?? false;
};

/**
 * The state of the expected version, also if another one or a delete marker hides it. The first call lists the versions of the store's
 * folder, once for each opened store; an object that was overwritten costs a search of its versions as well.
 */
export const headExpected = async (
  store: Pick<ObjectStore, 'versions' | 'head'>,
  object: ExpectedObject,
): Promise<ObjectState | undefined> => {
  const { versions } = store;
  // In a folder with too many versions the versions of the one object are listed.
  if (versions && ((await versions.overwritten())?.has(object.name) ?? true)) await versions.select(object);
  return store.head(object.name);
};

import type { ExpectedObject, ObjectStore } from './object-store.ts';

/** A store, or a part of one, that can be opened again. */
type Renewable<S> = Pick<ObjectStore, 'versions' | 'close'> & { readonly renew?: (() => Promise<S>) | undefined };

/** Reads the expected version of an object over new connections: a faulty one damages every answer. */
export const overNewConnection = async <S extends Renewable<S>, T>(
  store: S,
  object: ExpectedObject,
  read: (store: S) => Promise<T>,
): Promise<T> => {
  const renewed = (await store.renew?.()) ?? store;
  try {
    await renewed.versions?.select(object);
    return await read(renewed);
  } finally {
    if (renewed !== store) renewed.close();
  }
};

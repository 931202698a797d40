import type { ObjectStore } from '../destination/index.ts';

/** Runs a call of a store; `object` is the name that it concerns, if it is a single one. */
type RunCall = <T>(call: () => Promise<T>, object?: string) => Promise<T>;

/** A store whose calls all go through `run`. */
export const wrapStore = (store: ObjectStore, run: RunCall): ObjectStore => ({
  ...(store.renew && { renew: async () => wrapStore(await run(() => store.renew?.() ?? Promise.resolve(store)), run) }),
  put: (name, ...rest) => run(() => store.put(name, ...rest), name),
  upload: (name, ...rest) => {
    const upload = store.upload(name, ...rest);
    return {
      write: (pieces) => run(() => upload.write(pieces), name),
      finish: () => run(() => upload.finish(), name),
      abort: () => upload.abort(),
    };
  },
  get: (name, ...rest) => run(() => store.get(name, ...rest), name),
  head: (name, ...rest) => run(() => store.head(name, ...rest), name),
  extendLock: (name, ...rest) => run(() => store.extendLock(name, ...rest), name),
  list: (...args) => store.list(...args),
  remove: (...args) => run(() => store.remove(...args)),
  abortUnfinishedUploads: (...args) => run(() => store.abortUnfinishedUploads(...args)),
  versions: store.versions,
  close: () => store.close(),
});

import type { ObjectStore } from '../../../shared/destination/index.ts';
import type { BackupEnv } from '../env/backup-env.ts';

/** Makes chosen operations of the store fail. */
export const faulty = (t: Pick<BackupEnv, 'wrapStore'>, fail: (operation: string, name: string) => Error | undefined): void => {
  const check = (operation: string, name: string): void => {
    const error = fail(operation, name);
    if (error) throw error;
  };
  t.wrapStore = (inner) => ({
    ...bound(inner),
    put: async (name, bytes, options) => {
      check('put', name);
      await inner.put(name, bytes, options);
    },
    upload: (name, options) => {
      const upload = inner.upload(name, options);
      return {
        ...upload,
        finish: async () => {
          check('finish', name);
          return upload.finish();
        },
      };
    },
    head: async (name) => {
      check('head', name);
      return inner.head(name);
    },
    remove: async (names) => {
      check('remove', names[0] ?? '');
      await inner.remove(names);
    },
  });
};
/** The original operations of the store, for wrappers. */
export const bound = (inner: ObjectStore): ObjectStore => ({
  put: (...all) => inner.put(...all),
  upload: (...all) => inner.upload(...all),
  get: (...all) => inner.get(...all),
  head: (...all) => inner.head(...all),
  extendLock: (...all) => inner.extendLock(...all),
  list: (prefix) => inner.list(prefix),
  remove: (names) => inner.remove(names),
  abortUnfinishedUploads: (prefix) => inner.abortUnfinishedUploads(prefix),
  close: () => inner.close(),
});

/** Makes the worker of a capture environment crash at an effect: a write of the table, or of a bucket. */
import type { MemoryStore, ObjectStore, Upload } from '../../../shared/destination/index.ts';
import type { CaptureEnv } from '../env/capture-env.ts';
import type { CrashInjector } from './crash-injector.ts';

export const crashCapture = (t: CaptureEnv, mortal: CrashInjector): void => {
  t.table.onWrite = (when) => mortal.atWrite(when);
  t.table.onRead = () => mortal.atRead();
  t.wrap = (store) => mortalStore(store, mortal);
};

const mortalStore = (store: MemoryStore, mortal: CrashInjector): ObjectStore => ({
  put: (...all) => mortal.effect(() => store.put(...all)),
  upload: (...all) => mortalUpload(store.upload(...all), mortal),
  get: (...all) => mortal.alive(() => store.get(...all)),
  head: (name) => mortal.alive(() => store.head(name)),
  extendLock: (name, state, extension) => mortal.effect(() => store.extendLock(name, state, extension)),
  list: (prefix) => store.list(prefix),
  remove: (names) => mortal.effect(() => store.remove(names)),
  abortUnfinishedUploads: (prefix) => mortal.alive(() => store.abortUnfinishedUploads(prefix)),
  close: () => store.close(),
});
const mortalUpload = (upload: Upload, mortal: CrashInjector): Upload => ({
  write: (pieces) => mortal.alive(() => upload.write(pieces)),
  finish: () => mortal.effect(() => upload.finish()),
  abort: () => mortal.alive(() => upload.abort()),
});

/** A restore worker that may crash: its effects are table writes, uploads and writes to the target. */
import type { ObjectStore, Upload } from '../../../shared/destination/index.ts';
import { FirestoreDatabase, type SourceOptions } from '../../../shared/firestore/index.ts';
import type { InMemoryTable } from '../table/in-memory-table.ts';
import { CrashInjector } from './crash-injector.ts';

export class CrashingMachine extends CrashInjector {
  /** Replaces the previous machine. */
  attach(t: { readonly table: InMemoryTable; machine: CrashingMachine | undefined }): this {
    t.table.onWrite = (when) => this.atWrite(when);
    t.table.onRead = () => this.atRead();
    t.machine = this;
    return this;
  }

  store(inner: ObjectStore): ObjectStore {
    const upload = (one: Upload): Upload => ({
      write: (pieces) => this.effect(() => one.write(pieces)),
      finish: () => this.effect(() => one.finish()),
      abort: () => this.alive(() => one.abort()),
    });
    return {
      put: (name, bytes, options) => this.effect(() => inner.put(name, bytes, options)),
      upload: (name, options) => upload(inner.upload(name, options)),
      get: (name, range) => this.alive(() => inner.get(name, range)),
      head: (name) => this.alive(() => inner.head(name)),
      extendLock: (name, state, extension) => this.alive(() => inner.extendLock(name, state, extension)),
      list: (prefix) => inner.list(prefix),
      remove: (names) => this.effect(() => inner.remove(names)),
      abortUnfinishedUploads: (prefix) => this.effect(() => inner.abortUnfinishedUploads(prefix)),
      close: () => inner.close(),
    };
  }

  /** Only writes are effects. */
  source(options: SourceOptions): FirestoreDatabase {
    const effect = <T>(work: () => Promise<T>): Promise<T> => this.effect(work);
    const alive = <T>(work: () => Promise<T>): Promise<T> => this.alive(work);
    return new (class extends FirestoreDatabase {
      override startCall(...args: Parameters<FirestoreDatabase['startCall']>) {
        return alive(() => super.startCall(...args));
      }

      override callOnce(...args: Parameters<FirestoreDatabase['callOnce']>) {
        return (args[0] === 'BatchWrite' ? effect : alive)(() => super.callOnce(...args));
      }
    })(options);
  }
}

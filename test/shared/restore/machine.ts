/** A worker's machine that dies at a chosen moment. */
import type { Store, Upload } from '../../../shared/destination/index.ts';
import { Source, type SourceOptions } from '../../../shared/firestore/index.ts';
import { Fault } from '../../support/scripted-aws.ts';
import { table } from '../backup/engine-world.ts';

export class Crash extends Error {}

/** Dies at the n-th thing it does that others can see (table, store, target); from then on nothing it tries has any effect. */
export class Machine {
  effects = 0;
  isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';

  constructor(at = Number.POSITIVE_INFINITY, when: 'before' | 'after' = 'before') {
    this.#at = at;
    this.#when = when;
  }

  /** Takes the place of the one before. */
  attach(world: { machine: Machine | undefined }): this {
    const dead = new Fault('AccessDeniedException');
    let number = 0;
    // The table does one thing after the other.
    table.onWrite = (when) => {
      if (when === 'after') return this.#ends(number) ? dead : undefined;
      const begun = this.#begins();
      number = begun.number;
      return begun.isPrevented ? dead : undefined;
    };
    table.onRead = () => (this.isDead ? dead : undefined);
    world.machine = this;
    return this;
  }

  store(inner: Store): Store {
    const upload = (one: Upload): Upload => ({
      write: (pieces) => this.#effect(() => one.write(pieces)),
      finish: () => this.#effect(() => one.finish()),
      abort: () => this.#alive(() => one.abort()),
    });
    return {
      put: (name, bytes, options) => this.#effect(() => inner.put(name, bytes, options)),
      upload: (name, options) => upload(inner.upload(name, options)),
      get: (name, range) => this.#alive(() => inner.get(name, range)),
      head: (name) => this.#alive(() => inner.head(name)),
      list: (prefix) => inner.list(prefix),
      remove: (names) => this.#effect(() => inner.remove(names)),
      abandon: (prefix) => this.#effect(() => inner.abandon(prefix)),
      close: () => inner.close(),
    };
  }

  /** Of its calls only writes are effects. */
  source(options: SourceOptions): Source {
    const effect = <T>(work: () => Promise<T>): Promise<T> => this.#effect(work);
    const alive = <T>(work: () => Promise<T>): Promise<T> => this.#alive(work);
    return new (class extends Source {
      override begin(...all: Parameters<Source['begin']>) {
        return alive(() => super.begin(...all));
      }

      override once(...all: Parameters<Source['once']>) {
        return (all[0] === 'BatchWrite' ? effect : alive)(() => super.once(...all));
      }
    })(options);
  }

  /** Numbers an effect; true if it must not happen. */
  #begins(): { readonly number: number; readonly isPrevented: boolean } {
    if (this.isDead) return { number: 0, isPrevented: true };
    const number = ++this.effects;
    this.isDead = number === this.#at && this.#when === 'before';
    return { number, isPrevented: this.isDead };
  }

  /** True if nobody hears of it. */
  #ends(number: number): boolean {
    this.isDead ||= number === this.#at && this.#when === 'after';
    return this.isDead;
  }

  async #effect<T>(work: () => Promise<T>): Promise<T> {
    const { number, isPrevented } = this.#begins();
    if (isPrevented) throw new Crash();
    const result = await work();
    if (this.#ends(number)) throw new Crash();
    return result;
  }

  async #alive<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) throw new Crash();
    return work();
  }
}

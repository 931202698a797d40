/** A worker's machine that dies at a chosen moment. */
import { Fault } from '../../support/scripted-aws.ts';

export class Crash extends Error {}

const dead = new Fault('AccessDeniedException');

/** Dies at the n-th thing it does that others can see (table, queues, Scheduler, wire); from then on nothing it tries has any effect. */
export class Machine {
  effects = 0;
  isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';

  constructor(at = Number.POSITIVE_INFINITY, when: 'before' | 'after' = 'before') {
    this.#at = at;
    this.#when = when;
  }

  /** Of a call that is answered at once: the answer, or the fault that a dead machine sees instead. */
  effect(work: () => object): object {
    if (this.#begins()) return dead;
    const answer = work();
    return this.#ends() ? dead : answer;
  }

  async effectLater<T>(work: () => Promise<T>): Promise<T> {
    if (this.#begins()) throw new Crash();
    const result = await work();
    if (this.#ends()) throw new Crash();
    return result;
  }

  /** For a table, which does one thing after the other. */
  atWrite(when: 'before' | 'after'): Fault | undefined {
    return (when === 'before' ? this.#begins() : this.#ends()) ? dead : undefined;
  }

  atRead(): Fault | undefined {
    return this.isDead ? dead : undefined;
  }

  /** True if it must not happen. */
  #begins(): boolean {
    if (this.isDead) return true;
    this.effects += 1;
    this.isDead = this.effects === this.#at && this.#when === 'before';
    return this.isDead;
  }

  /** True if nobody hears of it. */
  #ends(): boolean {
    this.isDead ||= this.effects === this.#at && this.#when === 'after';
    return this.isDead;
  }
}

/** Crashes a worker before or after a chosen effect. */
import { Fault } from '../aws/scripted-aws.ts';

export class Crash extends Error {}

/** Crash before or after the n-th effect. */
export interface CrashPoint {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** Covers every state that a crash can leave between `effects` sequential effects, each once: a crash after one equals a crash before the next. */
export const crashPoints = (effects: number): readonly CrashPoint[] => [
  ...Array.from({ length: Math.ceil(effects / 2) }, (_, n) => 2 * n + 1).flatMap((at): readonly CrashPoint[] => [
    { at, when: 'before' },
    { at, when: 'after' },
  ]),
  ...(effects % 2 === 0 ? [{ at: effects, when: 'after' } as const] : []),
];

const dead = new Fault('AccessDeniedException');

/** Crashes at the n-th visible effect; from then on nothing has any effect. */
export class CrashInjector {
  effects = 0;
  isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';
  /** Number of the table write in progress. */
  #write = 0;

  constructor(at = Number.POSITIVE_INFINITY, when: 'before' | 'after' = 'before') {
    this.#at = at;
    this.#when = when;
  }

  async effect<T>(work: () => Promise<T>): Promise<T> {
    const number = this.#begin();
    if (this.isDead) throw new Crash();
    const result = await work();
    if (this.#isUnheard(number)) throw new Crash();
    return result;
  }

  /** For synchronous calls: returns the result, or the fault that a crashed worker sees. */
  effectAtOnce(work: () => object): object {
    const number = this.#begin();
    if (this.isDead) return dead;
    const answer = work();
    return this.#isUnheard(number) ? dead : answer;
  }

  /** For calls without a visible effect. */
  async alive<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) throw new Crash();
    return work();
  }

  /** For a table, whose writes are sequential. */
  atWrite(when: 'before' | 'after'): Fault | undefined {
    if (when === 'after') return this.#isUnheard(this.#write) ? dead : undefined;
    this.#write = this.#begin();
    return this.atRead();
  }

  atRead(): Fault | undefined {
    return this.isDead ? dead : undefined;
  }

  /** The number of the effect that begins; 0 after the crash. */
  #begin(): number {
    if (this.isDead) return 0;
    const number = ++this.effects;
    this.isDead = number === this.#at && this.#when === 'before';
    return number;
  }

  #isUnheard(number: number): boolean {
    this.isDead ||= number === this.#at && this.#when === 'after';
    return this.isDead;
  }
}

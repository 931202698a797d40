/** A worker's machine that dies at a chosen moment. */
import { Fault } from '../aws/scripted-aws.ts';

export class Crash extends Error {}

/** Where a machine dies: at the n-th thing it does, before it is done or once it is. */
export interface CrashPoint {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/**
 * Every state in which a machine can leave the world that does so many things one after the other, each once: dead after one thing it
 * leaves what it leaves dead before the next. Half of them are reached in either way.
 */
export const crashPoints = (effects: number): readonly CrashPoint[] => [
  ...Array.from({ length: Math.ceil(effects / 2) }, (_, n) => 2 * n + 1).flatMap((at): readonly CrashPoint[] => [
    { at, when: 'before' },
    { at, when: 'after' },
  ]),
  ...(effects % 2 === 0 ? [{ at: effects, when: 'after' } as const] : []),
];

const dead = new Fault('AccessDeniedException');

/** Dies at the n-th thing it does that others can see; from then on nothing it tries has any effect. */
export class CrashInjector {
  effects = 0;
  isDead = false;
  readonly #at: number;
  readonly #when: 'before' | 'after';
  /** Of the table's present write. */
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

  /** Of a call that is answered at once: the answer, or the fault that a dead machine sees instead. */
  effectAtOnce(work: () => object): object {
    const number = this.#begin();
    if (this.isDead) return dead;
    const answer = work();
    return this.#isUnheard(number) ? dead : answer;
  }

  /** What others do not see is done as long as it lives. */
  async alive<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) throw new Crash();
    return work();
  }

  /** For a table, which does one thing after the other. */
  atWrite(when: 'before' | 'after'): Fault | undefined {
    if (when === 'after') return this.#isUnheard(this.#write) ? dead : undefined;
    this.#write = this.#begin();
    return this.atRead();
  }

  atRead(): Fault | undefined {
    return this.isDead ? dead : undefined;
  }

  /** The number of the effect that begins, unless the machine is dead. */
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

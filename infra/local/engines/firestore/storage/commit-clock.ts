import { type Micros, RpcError } from '../base/types.ts';
import { second } from '../value/timestamps.ts';
import { checkWithin, isReadable, tooOld, type Window, windowAt, withSlack } from './read-window.ts';
import { systemClock } from './system-clock.ts';

/** A database's clock: strictly increasing commit times, and the readable past. */
export class CommitClock {
  readonly #clock: () => Micros;
  /** The latest time given to a commit or a reader; later commits get later times. */
  #latest: Micros = 0;
  #recoverySince: Micros | undefined;
  #window: Window;
  #windowAge: Micros;
  /** Times before this are expired explicitly (by tests). */
  #expiredBefore: Micros = 0;

  constructor(clock: (() => Micros) | undefined, recoverySince: Micros | undefined) {
    this.#clock = clock ?? systemClock;
    this.#recoverySince = recoverySince;
    this.#windowAge = this.#clock();
    this.#window = withSlack(windowAt(this.#windowAge, recoverySince));
  }

  now(): Micros {
    return this.#clock();
  }

  /** A time that includes all commits so far and no later ones. */
  readTime(): Micros {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }

  /** The time of the next commit, later than all earlier times. */
  nextTime(): Micros {
    this.#latest = Math.max(this.#latest + 1, this.#clock());
    return this.#latest;
  }

  /** Registers a commit read from disk. */
  saw(time: Micros): void {
    this.#latest = Math.max(this.#latest, time);
  }

  get recoverySince(): Micros | undefined {
    return this.#recoverySince;
  }

  setRecovery(on: boolean): void {
    this.#recoverySince = on ? (this.#recoverySince ?? this.#clock()) : undefined;
    this.renew();
  }

  /** Versions outside it may be collected. It extends a little further than `check` allows and moves once a second. */
  get window(): Window {
    if (this.#clock() - this.#windowAge > second) this.renew();
    return this.#window;
  }

  renew(): void {
    this.#windowAge = this.#clock();
    this.#window = withSlack(windowAt(this.#windowAge, this.#recoverySince));
  }

  /** Throws for a time that a new read cannot use. */
  check(at: Micros): void {
    const now = this.readTime();
    if (at > now) throw new RpcError('INVALID_ARGUMENT', "The requested 'read_time' cannot be in the future.");
    if (at < this.#expiredBefore) throw tooOld();
    checkWithin(at, windowAt(now, this.#recoverySince));
  }

  /** Throws for a time whose versions may already be collected: a running read must fail rather than miss one. */
  checkKept(at: Micros): void {
    if (at < this.#expiredBefore || (at < this.#window.fine && !isReadable(at, this.#window))) throw tooOld();
  }

  /** Expires all times before now. */
  expire(): void {
    this.#expiredBefore = this.nextTime();
  }
}

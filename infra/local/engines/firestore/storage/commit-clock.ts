import { type Micros, RpcError } from '../base/types.ts';
import { second } from '../value/timestamps.ts';
import { checkWithin, isReadable, tooOld, type Window, windowAt, withSlack } from './read-window.ts';

/** A database's time: strictly increasing for commits, and how far back it can be read. */
export class Timeline {
  readonly #clock: () => Micros;
  /** The latest time given to a commit or a reader: later commits are later than it. */
  #latest: Micros = 0;
  #recoverySince: Micros | undefined;
  #window: Window;
  #windowAge: Micros;
  /** Times before this are gone, because a test said so. */
  #expiredBefore: Micros = 0;

  constructor(clock: (() => Micros) | undefined, recoverySince: Micros | undefined) {
    this.#clock = clock ?? (() => Date.now() * 1000);
    this.#recoverySince = recoverySince;
    this.#windowAge = this.#clock();
    this.#window = withSlack(windowAt(this.#windowAge, recoverySince));
  }

  now(): Micros {
    return this.#clock();
  }

  /** A time at which all commits so far are seen, and none to come. */
  readTime(): Micros {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }

  /** The time of the next commit, later than all given out before. */
  nextTime(): Micros {
    this.#latest = Math.max(this.#latest + 1, this.#clock());
    return this.#latest;
  }

  /** Takes note of a commit read from disk. */
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

  /** Versions outside it may be forgotten. It reaches a little further back than what `check` allows, and moves once a second. */
  get window(): Window {
    if (this.#clock() - this.#windowAge > second) this.renew();
    return this.#window;
  }

  renew(): void {
    this.#windowAge = this.#clock();
    this.#window = withSlack(windowAt(this.#windowAge, this.#recoverySince));
  }

  /** Refuses a time that a new read cannot have. */
  check(at: Micros): void {
    const now = this.readTime();
    if (at > now) throw new RpcError('INVALID_ARGUMENT', "The requested 'read_time' cannot be in the future.");
    if (at < this.#expiredBefore) throw tooOld();
    checkWithin(at, windowAt(now, this.#recoverySince));
  }

  /** Refuses a time whose versions may be forgotten already: a read under way must fail rather than miss one. */
  checkKept(at: Micros): void {
    if (at < this.#expiredBefore || (at < this.#window.fine && !isReadable(at, this.#window))) throw tooOld();
  }

  /** Makes all times before now too old. */
  expire(): void {
    this.#expiredBefore = this.nextTime();
  }
}

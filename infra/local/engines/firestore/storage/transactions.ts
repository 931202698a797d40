import { randomBytes } from 'node:crypto';
import { type DocumentChange, type Micros, RpcError } from '../base/types.ts';
import { second } from '../value/timestamps.ts';
import { Hold } from './read-locks.ts';
import { isToken, makeToken, tokenNumber } from './transaction-id.ts';

export interface Transaction {
  readonly number: number;
  readonly token: Uint8Array;
  readonly readOnly: boolean;
  /** What a read-only transaction reads at. */
  readonly at: Micros | undefined;
  readonly begun: Micros;
  lastUsed: Micros;
  readonly hold: Hold;
}

/** Which kind of transaction to begin. */
export type Mode =
  | { readonly kind: 'read-write'; readonly retry?: Uint8Array | undefined }
  | { readonly kind: 'read-only'; readonly readTime?: Micros | undefined };

interface Clock {
  now(): Micros;
  readTime(): Micros;
  checkReadTime(at: Micros): void;
}

/**
 * The transactions of one database. What a read-write transaction has read it holds: a commit of someone else that
 * would change it waits for the transaction to end, and is refused when that takes too long. Of two transactions that
 * wait for each other the second is refused at once. So reads never block, of two that read and write the same exactly
 * one commits, and no commit is based on what has changed.
 */
export class Transactions {
  readonly #clock: Clock;
  readonly #lockWaitMs: number;
  readonly #nonce = randomBytes(6);
  readonly #active = new Map<number, Transaction>();
  /** How the last ones ended. */
  readonly #ended = new Map<number, 'committed' | 'rolled back' | 'read-only'>();
  #next = 1;
  /** Those waiting for some transaction to end. */
  #waiting: (() => void)[] = [];

  constructor(clock: Clock, lockWaitMs = defaultLockWaitMs) {
    this.#clock = clock;
    this.#lockWaitMs = lockWaitMs;
  }

  begin(mode: Mode): Transaction {
    if (mode.kind === 'read-write' && mode.retry?.length) this.#checkRetry(mode.retry);
    if (mode.kind === 'read-only' && mode.readTime !== undefined) this.#clock.checkReadTime(mode.readTime);
    for (const other of this.#active.values()) if (this.#isExpired(other)) this.end(other);
    const number = this.#next++;
    const begun = this.#clock.now();
    const readOnly = mode.kind === 'read-only';
    const at = readOnly ? (mode.readTime ?? this.#clock.readTime()) : undefined;
    const transaction = { number, token: makeToken(this.#nonce, number), readOnly, at, begun, lastUsed: begun, hold: new Hold() };
    this.#active.set(number, transaction);
    return transaction;
  }

  /** The transaction of a token, for a read or a commit; throws if it is over. */
  use(token: Uint8Array): Transaction {
    const number = this.#number(token);
    const transaction = number === undefined ? undefined : this.#active.get(number);
    if (!transaction) throw gone(number !== undefined && this.#ended.get(number) === 'read-only');
    if (this.#isExpired(transaction)) {
      this.end(transaction);
      throw gone(transaction.readOnly);
    }
    transaction.lastUsed = this.#clock.now();
    return transaction;
  }

  /** Ends a transaction without effect. One that is over already stays so; only what is committed cannot be undone. */
  rollBack(token: Uint8Array): void {
    const number = this.#number(token);
    if (number === undefined) return;
    if (this.#ended.get(number) === 'committed') throw gone(false);
    const transaction = this.#active.get(number);
    if (transaction) this.end(transaction);
  }

  end(transaction: Transaction, how: 'committed' | 'rolled back' = 'rolled back'): void {
    transaction.hold.clear();
    this.#active.delete(transaction.number);
    this.#ended.set(transaction.number, transaction.readOnly ? 'read-only' : how);
    if (this.#ended.size > endedKept) this.#ended.delete(this.#ended.keys().next().value ?? 0);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Whether any transaction holds anything; while not, commits need not look. */
  get holding(): boolean {
    for (const { hold } of this.#active.values()) if (!hold.isEmpty) return true;
    return false;
  }

  /** When a commit that begins now has waited too long. */
  deadline(): number {
    return Date.now() + this.#lockWaitMs;
  }

  /** Those, other than the owner, who hold something of what is to be changed. */
  holders(changes: readonly DocumentChange[], owner: Transaction | undefined): readonly Hold[] {
    const holders: Hold[] = [];
    for (const transaction of this.#active.values()) {
      const { hold } = transaction;
      if (transaction === owner || hold.isEmpty || this.#isExpired(transaction)) continue;
      if (changes.some((change) => hold.isTouchedBy(change))) holders.push(hold);
    }
    return holders;
  }

  /** Waits until some transaction has ended; throws when that cannot help, or the time is up. */
  async waitFor(holders: readonly Hold[], owner: Transaction | undefined, deadline: number, signal?: AbortSignal): Promise<void> {
    const left = deadline - Date.now();
    // Each would wait for the other: who comes second gives way.
    const isDeadlock = owner !== undefined && holders.some((holder) => holder.isWaitingFor(owner.hold));
    if (isDeadlock || left <= 0) throw contention();
    if (owner) owner.hold.waitsFor = holders;
    // What a transaction holds is free, too, when it has been idle for too long.
    await this.#nextEnd(Math.min(left, idleCheckMs));
    if (signal?.aborted) throw new RpcError('CANCELLED', 'The call was cancelled.');
    if (owner && !this.#active.has(owner.number)) throw gone(owner.readOnly);
    if (owner) owner.hold.waitsFor = [];
  }

  #nextEnd(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** The number of a token; undefined for one of another life of this server. */
  #number(token: Uint8Array): number | undefined {
    if (!isToken(token)) throw new RpcError('INVALID_ARGUMENT', 'Invalid transaction.');
    return tokenNumber(token, this.#nonce);
  }

  #checkRetry(token: Uint8Array): void {
    const number = this.#number(token);
    const transaction = number === undefined ? undefined : this.#active.get(number);
    if (transaction?.readOnly || (number !== undefined && this.#ended.get(number) === 'read-only'))
      throw new RpcError('INVALID_ARGUMENT', 'Cannot retry a read-only transaction');
    if (transaction) this.end(transaction);
  }

  #isExpired({ begun, lastUsed }: Transaction): boolean {
    const now = this.#clock.now();
    return now - begun > lifetime || now - lastUsed > idleTime;
  }
}

const lifetime: Micros = 270 * second;
const idleTime: Micros = 60 * second;
const defaultLockWaitMs = 15_000;
const idleCheckMs = 1000;
const endedKept = 10_000;

/** Of a read-only transaction the service says so with another code. */
const gone = (readOnly: boolean): RpcError =>
  new RpcError(readOnly ? 'INVALID_ARGUMENT' : 'ABORTED', 'The referenced transaction has expired or is no longer valid.');

export const contention = (): RpcError => new RpcError('ABORTED', 'Too much contention on these documents. Please try again.');

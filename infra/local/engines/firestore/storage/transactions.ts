import { randomBytes } from 'node:crypto';
import { type DocumentChange, type Micros, RpcError } from '../base/types.ts';
import { second } from '../value/timestamps.ts';
import { ReadLocks } from './read-locks.ts';

export interface Transaction {
  readonly number: number;
  readonly token: Uint8Array;
  readonly readOnly: boolean;
  /** The read time of a read-only transaction. */
  readonly at: Micros | undefined;
  readonly begun: Micros;
  lastUsed: Micros;
  readonly hold: ReadLocks;
}

export type Mode =
  | { readonly kind: 'read-write'; readonly retry?: Uint8Array | undefined }
  | { readonly kind: 'read-only'; readonly readTime?: Micros | undefined };

interface Clock {
  now(): Micros;
  readTime(): Micros;
  checkReadTime(at: Micros): void;
}

/**
 * The transactions of one database. A read-write transaction locks what it reads. A commit of another writer that changes locked
 * documents waits for the transaction to end, up to a time limit. If two transactions wait for each other, the second fails at
 * once. So reads never block, exactly one of two conflicting transactions commits, and no commit is based on stale reads.
 */
export class Transactions {
  readonly #clock: Clock;
  readonly #lockWaitMs: number;
  readonly #nonce = randomBytes(6);
  readonly #active = new Map<number, Transaction>();
  /** How the latest transactions ended. */
  readonly #ended = new Map<number, 'committed' | 'rolled back' | 'read-only'>();
  #next = 1;
  /** Waiters for the end of any transaction. */
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
    const transaction = {
      number,
      token: makeTransactionId(this.#nonce, number),
      readOnly,
      at,
      begun,
      lastUsed: begun,
      hold: new ReadLocks(),
    };
    this.#active.set(number, transaction);
    return transaction;
  }

  /** The transaction of a token, for a read or a commit; throws if it has ended. */
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

  /** Ends a transaction without effect. Idempotent; only a committed one cannot be rolled back. */
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

  /** Whether any locks exist; otherwise commits skip the check. */
  get holding(): boolean {
    for (const { hold } of this.#active.values()) if (!hold.isEmpty) return true;
    return false;
  }

  /** When a commit that begins now times out. */
  deadline(): number {
    return Date.now() + this.#lockWaitMs;
  }

  /** The transactions, except the owner, with locks on the changes. */
  holders(changes: readonly DocumentChange[], owner: Transaction | undefined): readonly ReadLocks[] {
    const holders: ReadLocks[] = [];
    for (const transaction of this.#active.values()) {
      const { hold } = transaction;
      if (transaction === owner || hold.isEmpty || this.#isExpired(transaction)) continue;
      if (changes.some((change) => hold.isTouchedBy(change))) holders.push(hold);
    }
    return holders;
  }

  /** Waits until some transaction ends; throws on a deadlock or a timeout. */
  async waitFor(
    holders: readonly ReadLocks[],
    owner: Transaction | undefined,
    { deadline, signal }: { readonly deadline: number; readonly signal?: AbortSignal | undefined },
  ): Promise<void> {
    const remaining = deadline - Date.now();
    // Deadlock: the second transaction gives way.
    const isDeadlock = owner !== undefined && holders.some((holder) => holder.isWaitingFor(owner.hold));
    if (isDeadlock || remaining <= 0) throw contention();
    if (owner) owner.hold.waitsFor = holders;
    // Idle transactions expire as well and release their locks.
    await this.#nextEnd(Math.min(remaining, idleCheckMs));
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

  /** The number of a token; undefined for one of an earlier run. */
  #number(token: Uint8Array): number | undefined {
    if (!isTransactionId(token)) throw new RpcError('INVALID_ARGUMENT', 'Invalid transaction.');
    return transactionNumber(token, this.#nonce);
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

/** The service uses another code for read-only transactions. */
const gone = (readOnly: boolean): RpcError =>
  new RpcError(readOnly ? 'INVALID_ARGUMENT' : 'ABORTED', 'The referenced transaction has expired or is no longer valid.');

export const contention = (): RpcError => new RpcError('ABORTED', 'Too much contention on these documents. Please try again.');

/** Transaction ids: opaque to clients, but recognizable, so that one from before a restart counts as expired, not invalid. */
const makeTransactionId = (nonce: Uint8Array, number: number): Uint8Array => {
  const token = Buffer.alloc(tokenBytes);
  token[0] = mark;
  token.set(nonce, 1);
  token.writeUIntBE(number, 1 + nonceBytes, 6);
  token[tokenBytes - 1] = check(token);
  return token;
};

/** Whether a server of this kind created the token. */
const isTransactionId = (token: Uint8Array): boolean =>
  token.length === tokenBytes && token[0] === mark && token[tokenBytes - 1] === check(token);

/** The number of a token created with this nonce; undefined otherwise. */
const transactionNumber = (token: Uint8Array, nonce: Uint8Array): number | undefined => {
  const bytes = Buffer.from(token);
  return bytes.subarray(1, 1 + nonceBytes).equals(nonce) ? bytes.readUIntBE(1 + nonceBytes, 6) : undefined;
};

const mark = 0x11;
const nonceBytes = 6;
const tokenBytes = 1 + nonceBytes + 6 + 1;

const check = (token: Uint8Array): number => {
  let sum = 0;
  for (let i = 0; i < tokenBytes - 1; i++) sum = (sum * 31 + (token[i] ?? 0)) & 0xff;
  return sum;
};

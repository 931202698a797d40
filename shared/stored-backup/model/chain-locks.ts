/** The locks of all objects that a backup needs, also those of earlier backups: a chain is only as safe as its oldest link. */
import { type ExpectedObject, headExpected, type ObjectState, type ObjectStore, StorageError } from '../../destination/index.ts';
import { iso } from '../../platform/index.ts';

export interface ChainLockResult {
  /** The earliest end of a lock that the store reports; null if one is unknown. */
  readonly immutableUntil: string | null;
  /** Why the store guarantees less than was asked for. */
  readonly reason?: string;
}

/** Of the objects counted so far. */
export interface LockCounts {
  readonly earliest?: string | undefined;
  readonly short: number;
  readonly unknown: number;
}

/** Extends and counts locks. Idempotent: an object that is locked long enough costs no request. */
export class ChainLocks {
  readonly #until: Date | undefined;
  #earliest: string | undefined;
  #short: number;
  #unknown: number;
  #refusal: string | undefined;

  /** `until`: the end of the backup's own lock; null if its destination has none. `before`: the counts of an earlier step. */
  constructor(until: string | null, before: LockCounts = { short: 0, unknown: 0 }) {
    this.#until = until === null ? undefined : new Date(until);
    this.#earliest = before.earliest;
    this.#short = before.short;
    this.#unknown = before.unknown;
  }

  get counts(): LockCounts {
    return { ...(this.#earliest !== undefined && { earliest: this.#earliest }), short: this.#short, unknown: this.#unknown };
  }

  /**
   * Extends the lock of a stored object if it ends earlier, and counts what the store reports. A refusal is kept for the result;
   * throws if a retry may help.
   */
  async extend(store: ObjectStore, name: string, state: ObjectState): Promise<void> {
    if (!this.#until) return;
    try {
      this.count(await store.extendLock(name, state, { until: this.#until }));
    } catch (error) {
      if (!(error instanceof StorageError) || error.isTransient || error.code === 'missing') throw error;
      this.#refusal ??= error.message;
      this.count(state.lockedUntil);
    }
  }

  /** Counts the lock of an object as the store reports it. */
  count(lockedUntil: Date | undefined): void {
    if (lockedUntil === undefined) {
      this.#unknown += 1;
      return;
    }
    if (this.#until && lockedUntil < this.#until) this.#short += 1;
    const end = iso(lockedUntil);
    if (this.#earliest === undefined || end < this.#earliest) this.#earliest = end;
  }

  get result(): ChainLockResult {
    const immutableUntil = this.#unknown > 0 ? null : (this.#earliest ?? null);
    if (!this.#until) return { immutableUntil };
    const refusal = this.#refusal === undefined ? '' : `: ${this.#refusal}`;
    if (this.#unknown > 0)
      return {
        immutableUntil,
        reason: `The store reports no lock of ${objects(this.#unknown)} that the backup needs${refusal || ': grant the permission to read locks, then verify the backup'}`,
      };
    return {
      immutableUntil,
      ...(this.#short > 0 && {
        reason: `The lock of ${objects(this.#short)} that the backup needs ends earlier than its own${refusal}`,
      }),
    };
  }
}

/** Extends the lock of the version that was stored. A missing object is not locked. */
export const extendGenuine = async (store: ObjectStore, object: ExpectedObject, locks: ChainLocks): Promise<void> => {
  const state = await headExpected(store, object);
  if (state) await locks.extend(store, object.name, state);
  else locks.count(undefined);
};

const objects = (count: number): string => (count === 1 ? 'one object' : `${count} objects`);

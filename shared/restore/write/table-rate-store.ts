/** The rate limit that all writers of a restore share, in one item of the table. */
import { type RateState, type RateStore, SharedRateLimiter } from '../../firestore/index.ts';
import { after, commit, create, epochSeconds, get, type Key, retryOnConflict, set, type Tenant } from '../../platform/index.ts';
import { type RateRecord, type RestoreRecord, restoreKey } from '../model/record.ts';
import type { RestoreDeps } from '../restore-deps.ts';

type RateDeps = Pick<RestoreDeps, 'clock' | 'random' | 'sleep'>;

export const sharedRateLimiter = (tenant: Tenant, restore: RestoreRecord, deps: RateDeps): SharedRateLimiter => {
  const { clock, random, sleep } = deps;
  const store = new TableRateStore(tenant, restore.id, deps);
  const { maxWritesPerSecond } = restore;
  return new SharedRateLimiter({ store, clock, random, maxWritesPerSecond, ...(sleep && { sleep }) });
};

/** Twenty writers ask every second or two; a conflict resolves within milliseconds. */
const conflictRetry = { attempts: 50, jitterMs: 100 };
/** Expiry of the item of a writer that outlives its restore. */
const ttlSeconds = 30 * 24 * 3_600;

/**
 * Each change is one compare-and-set of the cached item; the item is read only after a conflict. A change that keeps the state
 * costs nothing and is valid for an outdated state, too: granted writes stay granted, and slowdowns are never forgotten.
 */
export class TableRateStore implements RateStore {
  readonly #key: Key<RateRecord>;
  readonly #deps: RateDeps;
  #cached: { readonly record: RateRecord | undefined } | undefined;

  constructor(tenant: Tenant, restoreJobId: string, deps: RateDeps) {
    this.#key = restoreKey.pace(tenant, restoreJobId);
    this.#deps = deps;
  }

  change<T>(step: (state: RateState | undefined) => { readonly state: RateState; readonly result: T }): Promise<T> {
    const { random, sleep } = this.#deps;
    const retry = { ...conflictRetry, random, ...(sleep && { sleep: (ms: number) => sleep(ms, undefined) }) };
    return retryOnConflict(retry, async () => {
      this.#cached ??= { record: await get(this.#key) };
      const { record } = this.#cached;
      const { state, result } = step(record?.state);
      if (state === record?.state) return result;
      const ttl = epochSeconds(after(this.#deps.clock.now(), ttlSeconds));
      const change = { version: (record?.version ?? 0) + 1, state, ttl };
      const next = { ...this.#key, ...change };
      try {
        await commit([record ? set(this.#key, change, { expected: { version: record.version } }) : create(next)]);
      } catch (error) {
        this.#cached = undefined;
        throw error;
      }
      this.#cached = { record: next };
      return result;
    });
  }
}

/** The pace that all writers of a restore share, kept in one item of the table. */
import { type RateState, type RateStore, SharedPace } from '../../firestore/index.ts';

import { after, commit, epochSeconds, get, type Item, isConflict, type Key, type Tenant } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import type { RestoreDeps } from '../restore-deps.ts';

type PaceEngine = Pick<RestoreDeps, 'clock' | 'random' | 'sleep'>;

export const sharedRateLimiter = (tenant: Tenant, restore: RestoreRecord, engine: PaceEngine): SharedPace => {
  const { clock, random, sleep } = engine;
  const store = new TableRateStore(tenant, restore.id, engine);
  return new SharedPace({
    store,
    clock,
    random,
    maxWritesPerSecond: restore.maxWritesPerSecond,
    ...(sleep && { sleep }),
  });
};

interface PaceRecord extends Item {
  readonly version: number;
  readonly state: RateState;
  readonly ttl: number;
}

const realTime = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

/** Twenty writers ask every second or two; each clash is over in milliseconds. */
const triesMax = 50;
const clashMs = 100;
/** A writer that outlives its restore must leave nothing behind for good. */
const keptSeconds = 30 * 24 * 3_600;

/**
 * Each change is one write, on condition that the item is still what it was thought to be, and is read only when it is not. A
 * change that leaves the state as it is costs nothing, and is right also of a state that is no longer the last: what is given
 * out stays given out, and slowdowns are never forgotten.
 */
export class TableRateStore implements RateStore {
  readonly #key: Key<PaceRecord>;
  readonly #engine: PaceEngine;
  #known: { readonly record: PaceRecord | undefined } | undefined;

  constructor(tenant: Tenant, restoreJobId: string, engine: PaceEngine) {
    const { pk, sk } = restoreKey.pace(tenant, restoreJobId);
    this.#key = { pk, sk };
    this.#engine = engine;
  }

  async change<T>(step: (state: RateState | undefined) => { readonly state: RateState; readonly result: T }): Promise<T> {
    for (let tries = 1; ; tries++) {
      this.#known ??= { record: await get(this.#key) };
      const { record } = this.#known;
      const { state, result } = step(record?.state);
      if (state === record?.state) return result;
      const next = { ...this.#key, version: (record?.version ?? 0) + 1, state, ttl: this.#ttl() };
      try {
        await commit([
          record
            ? { put: next, condition: '#version = :was', names: { '#version': 'version' }, values: { ':was': record.version } }
            : { put: next, condition: 'attribute_not_exists(pk)' },
        ]);
        this.#known = { record: next };
        return result;
      } catch (error) {
        this.#known = undefined;
        if (!isConflict(error) || tries === triesMax) throw error;
        const { sleep = realTime } = this.#engine;
        await sleep(this.#engine.random() * clashMs, undefined);
      }
    }
  }

  #ttl(): number {
    return epochSeconds(after(this.#engine.clock.now(), keptSeconds));
  }
}

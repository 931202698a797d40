import type { openStore } from '../destination/index.ts';
import { Availability } from '../firestore/index.ts';
import type { Clock } from '../platform/index.ts';
import type { openSource } from '../project/index.ts';
import { StoreCalls } from './store-calls.ts';
import type { WatchedCalls } from './wait-tracker.ts';

interface Opened {
  readonly clock: Clock;
  readonly openStore: typeof openStore;
  readonly openSource: typeof openSource;
}

/** What a run opens is watched, so that it can report that it waits for a bucket or for the database that it opened last. */
export const watchCalls = <D extends Opened>(given: D): WatchedCalls & { readonly deps: D } => {
  const calls = new StoreCalls(given.clock);
  let opened = new Availability();
  const deps: D = {
    ...given,
    openStore: async (...args: Parameters<typeof openStore>) => calls.watch(await given.openStore(...args)),
    openSource: (...args: Parameters<typeof openSource>) => {
      const source = given.openSource(...args);
      opened = source.availability;
      return source;
    },
  };
  const database = {
    get heldBy() {
      return opened.heldBy;
    },
    get silentMs() {
      return opened.silentMs;
    },
    get successes() {
      return opened.successes;
    },
  };
  return { deps, calls, database };
};

/** Measures every call of a load, by endpoint and by interval. */
import { type Histogram, makeHistogram } from './histogram.ts';

/**
 * The outcome of a call. `unavailable`: no response; `rateLimited`: 429; `busy`: 503, because a part of the service did not respond
 * in time; `failed`: any other 5xx; `refused`: an unexpected 4xx.
 */
export type Outcome = 'answered' | 'unavailable' | 'rateLimited' | 'busy' | 'failed' | 'refused';

export interface Tally {
  readonly times: Histogram;
  readonly outcomes: Record<Outcome, number>;
}

export interface Meter {
  readonly endpoints: ReadonlyMap<string, Tally>;
  /** The first outcomes that were neither expected nor caused by a restart. */
  readonly unexpected: readonly string[];
  note(endpointId: string, outcome: Outcome, ms: number): void;
  reportUnexpected(words: string): void;
  /** Returns the counts since the last call and starts a new interval. */
  takeInterval(): Tally;
}

const unexpectedMax = 20;

export const newTally = (): Tally => ({
  times: makeHistogram(),
  outcomes: { answered: 0, unavailable: 0, rateLimited: 0, busy: 0, failed: 0, refused: 0 },
});

export const makeMeter = (): Meter => {
  const endpoints = new Map<string, Tally>();
  const unexpected: string[] = [];
  let present = newTally();
  return {
    endpoints,
    unexpected,
    note: (endpointId, outcome, ms) => {
      const tally = endpoints.get(endpointId) ?? newTally();
      endpoints.set(endpointId, tally);
      for (const each of [tally, present]) {
        each.outcomes[outcome] += 1;
        // A missing response has no duration.
        if (outcome !== 'unavailable') each.times.note(ms);
      }
    },
    reportUnexpected: (words) => {
      if (unexpected.length < unexpectedMax) unexpected.push(words);
    },
    takeInterval: () => {
      const ended = present;
      present = newTally();
      return ended;
    },
  };
};

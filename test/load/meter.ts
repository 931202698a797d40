/** What a load measures: every call by its endpoint and by the time it was made. */
import { type Histogram, makeHistogram } from './histogram.ts';

/**
 * What became of a call. `away`: nobody was there, or died before answering; `held`: told to come back later for asking too often
 * (429); `busy`: told to come back later because a part of the service did not answer in time (503); `failed`: any other 5xx;
 * `refused`: a 4xx that nobody expected.
 */
export type Outcome = 'answered' | 'away' | 'held' | 'busy' | 'failed' | 'refused';

export interface Tally {
  readonly times: Histogram;
  readonly outcomes: Record<Outcome, number>;
}

export interface Meter {
  readonly endpoints: ReadonlyMap<string, Tally>;
  /** What was neither expected nor the fault of a restart, in words; the first of them. */
  readonly surprises: readonly string[];
  note(endpointId: string, outcome: Outcome, ms: number): void;
  surprise(words: string): void;
  /** What was noted since the last turn. */
  turn(): Tally;
}

const surprisesMax = 20;

export const newTally = (): Tally => ({
  times: makeHistogram(),
  outcomes: { answered: 0, away: 0, held: 0, busy: 0, failed: 0, refused: 0 },
});

export const makeMeter = (): Meter => {
  const endpoints = new Map<string, Tally>();
  const surprises: string[] = [];
  let present = newTally();
  return {
    endpoints,
    surprises,
    note: (endpointId, outcome, ms) => {
      const tally = endpoints.get(endpointId) ?? newTally();
      endpoints.set(endpointId, tally);
      for (const each of [tally, present]) {
        each.outcomes[outcome] += 1;
        // Who was not there answered in no time.
        if (outcome !== 'away') each.times.note(ms);
      }
    },
    surprise: (words) => {
      if (surprises.length < surprisesMax) surprises.push(words);
    },
    turn: () => {
      const ended = present;
      present = newTally();
      return ended;
    },
  };
};

/** The number of history events of an execution; the limit is 25,000. */

/** Entered, scheduled, started, succeeded, exited. */
const taskEvents = 5;
/** Entered and exited. */
const stateEvents = 2;
/** A failed attempt adds: scheduled, started, failed. */
const retryEvents = 3;
/** Start and end of the execution. */
const ownEvents = 2;

/** A step in a loop; each run is followed by a choice, and some by a pause. */
export const loopHistoryEvents = (runs: number, retries = 0, pauses = 0): number =>
  ownEvents + runs * (taskEvents + stateEvents) + pauses * stateEvents + retries * retryEvents + stateEvents;

/** Sequential steps, each followed by a choice, and maps whose items are separate executions. */
export const sequenceHistoryEvents = (steps: number, maps: number, retries = 0): number =>
  // A map run adds a start and an end to those of its state.
  ownEvents + steps * (taskEvents + stateEvents) + maps * (2 * stateEvents) + retries * retryEvents + stateEvents;

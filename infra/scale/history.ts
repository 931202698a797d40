/** How many events the executions of our workflows write into their histories, of the 25,000 that one may have. */

/** Entered, scheduled, started, succeeded, exited. */
const taskEvents = 5;
/** Entered and exited. */
const stateEvents = 2;
/** What a try that is not taken adds: scheduled, started, failed. */
const retryEvents = 3;
/** The execution itself, begun and ended. */
const ownEvents = 2;

/** A step that is run again and again until it is done, every run followed by a choice. */
export const loopEvents = (runs: number, retries = 0): number =>
  ownEvents + runs * (taskEvents + stateEvents) + retries * retryEvents + stateEvents;

/** Steps one after the other, each followed by a choice, and maps whose items are executions of their own. */
export const lineEvents = (steps: number, maps: number, retries = 0): number =>
  // A map run is begun and ended beside its state.
  ownEvents + steps * (taskEvents + stateEvents) + maps * (2 * stateEvents) + retries * retryEvents + stateEvents;

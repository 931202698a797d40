/**
 * Firestore's 500/50/5 rule as pure logic: at most 500 writes in the first second, 50 % more every 5 minutes, and half the rate
 * after a RESOURCE_EXHAUSTED.
 */

/** Rate state shared by all writers of a job; fits into one table item. */
export interface RateState {
  /** Start of the ramp. */
  readonly startedAtMs: number;
  /** All capacity before this time is granted. */
  readonly givenUntilMs: number;
  /** Number of slowdowns, the time of the last one, and the rate permitted then. */
  readonly slowdowns: number;
  readonly slowedAtMs: number;
  readonly slowedPerSecond: number;
}

/** Permission to send `writes` between two times; unused capacity expires. */
export interface RateGrant {
  readonly writes: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Number of slowdowns when it was granted. */
  readonly slowdowns: number;
}

export const firstPerSecond = 500;
export const rampMs = 5 * 60_000;
export const rampFactor = 1.5;
/** The maximum of the official client and of a database. */
export const mostPerSecond = 10_000;
/** A slow target is still used, so that its recovery is noticed. */
const leastPerSecond = 10;
/** After a slowdown the rate doubles in this time until it reaches the ramp or the next slowdown. */
const recoveryMs = 15_000;
/** Maximum duration of a grant: shorter is smoother, longer needs fewer requests. */
const sliceMs = 200;
/** Capacity is granted this far ahead: writers need not wait, and a slowdown takes effect soon. */
const aheadMs = 2_000;
/** No time window exceeds its own capacity plus one lease. */
export const leaseMs = 1_000;

/** Permitted writes per second at a time. */
export const permittedPerSecond = (state: RateState, maxPerSecond: number | undefined, atMs: number): number => {
  const steps = Math.floor(Math.max(0, atMs - state.startedAtMs) / rampMs);
  const ramp = Math.min(mostPerSecond, maxPerSecond ?? mostPerSecond, firstPerSecond * rampFactor ** steps);
  if (state.slowdowns === 0) return ramp;
  return Math.min(ramp, state.slowedPerSecond * 2 ** (Math.max(0, atMs - state.slowedAtMs) / recoveryMs));
};

/** Grants up to `wanted` writes; undefined if enough is granted ahead. */
export const grant = (
  before: RateState | undefined,
  { wanted, maxPerSecond, nowMs }: { readonly wanted: number; readonly maxPerSecond: number | undefined; readonly nowMs: number },
): { readonly state: RateState; readonly grant: RateGrant | undefined } => {
  const state = before && nowMs - before.givenUntilMs < rampMs ? before : fresh(nowMs);
  const fromMs = Math.max(nowMs, state.givenUntilMs);
  if (fromMs - nowMs > aheadMs) return { state, grant: undefined };
  const perSecond = permittedPerSecond(state, maxPerSecond, fromMs);
  const writes = Math.max(1, Math.min(wanted, Math.floor((perSecond * sliceMs) / 1_000)));
  return {
    state: { ...state, givenUntilMs: fromMs + (writes * 1_000) / perSecond },
    grant: { writes, fromMs, untilMs: fromMs + leaseMs, slowdowns: state.slowdowns },
  };
};

/** Halves the rate, unless the grant predates the last slowdown, which already accounts for it. */
export const slowDown = (
  state: RateState,
  {
    first: { slowdowns },
    maxPerSecond,
    nowMs,
  }: { readonly first: RateGrant; readonly maxPerSecond: number | undefined; readonly nowMs: number },
): RateState => {
  if (slowdowns < state.slowdowns) return state;
  const half = permittedPerSecond(state, maxPerSecond, nowMs) / 2;
  const least = Math.min(leastPerSecond, maxPerSecond ?? leastPerSecond);
  return { ...state, slowdowns: state.slowdowns + 1, slowedAtMs: nowMs, slowedPerSecond: Math.max(least, half) };
};

/** After a pause of one ramp step the ramp starts over. */
const fresh = (nowMs: number): RateState => ({
  startedAtMs: nowMs,
  givenUntilMs: nowMs,
  slowdowns: 0,
  slowedAtMs: 0,
  slowedPerSecond: 0,
});

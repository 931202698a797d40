/**
 * The 500/50/5 rule, as pure logic over a clock: at most 500 writes in the first second, half as many more every 5 minutes,
 * as the service asks of whoever begins to write; half as many when it says that this was too much.
 */

/** What all who write for one job share; small enough for one item of a table. */
export interface RateState {
  /** The ramp counts from here. */
  readonly startedAtMs: number;
  /** All that was permitted before is given out. */
  readonly givenUntilMs: number;
  /** How often the target said that it was too much, when last, and what was permitted then. */
  readonly slowdowns: number;
  readonly slowedAtMs: number;
  readonly slowedPerSecond: number;
}

/** Permission to send so many writes, from one time to another; what is not sent by then is lost. */
export interface RateGrant {
  readonly writes: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** How many slowdowns it knew of. */
  readonly slowdowns: number;
}

export const firstPerSecond = 500;
export const rampMs = 5 * 60_000;
export const rampFactor = 1.5;
/** Where the official client stops, and what a database takes at most. */
export const mostPerSecond = 10_000;
/** A slow target is still asked, so that it is noticed when it no longer is. */
const leastPerSecond = 10;
/** After a slowdown the rate doubles in this time, until the ramp is reached or the target says no again. */
const recoveryMs = 15_000;
/** One grant is at most what this time permits: the shorter, the smoother; the longer, the less is asked. */
const sliceMs = 200;
/** Permission is given out so far ahead: nobody has to wait for it, and a slowdown soon has effect. */
const aheadMs = 2_000;
/** In any time window no more is sent than it and one lease permit. */
export const leaseMs = 1_000;

/** Writes per second that are permitted at a time. */
export const permittedPerSecond = (state: RateState, maxPerSecond: number | undefined, atMs: number): number => {
  const steps = Math.floor(Math.max(0, atMs - state.startedAtMs) / rampMs);
  const ramp = Math.min(mostPerSecond, maxPerSecond ?? mostPerSecond, firstPerSecond * rampFactor ** steps);
  if (state.slowdowns === 0) return ramp;
  return Math.min(ramp, state.slowedPerSecond * 2 ** (Math.max(0, atMs - state.slowedAtMs) / recoveryMs));
};

/** Gives out the next writes that are permitted, up to as many as wanted; undefined if as much is given out as may be. */
export const grant = (
  before: RateState | undefined,
  wanted: number,
  maxPerSecond: number | undefined,
  nowMs: number,
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

/** Half as many from now on, unless the writes were permitted before the last slowdown: that has answered for them. */
export const slowDown = (
  state: RateState,
  { slowdowns }: RateGrant,
  maxPerSecond: number | undefined,
  nowMs: number,
): RateState => {
  if (slowdowns < state.slowdowns) return state;
  const half = permittedPerSecond(state, maxPerSecond, nowMs) / 2;
  const least = Math.min(leastPerSecond, maxPerSecond ?? leastPerSecond);
  return { ...state, slowdowns: state.slowdowns + 1, slowedAtMs: nowMs, slowedPerSecond: Math.max(least, half) };
};

/** Who has paused for as long as a step of the ramp takes begins anew. */
const fresh = (nowMs: number): RateState => ({
  startedAtMs: nowMs,
  givenUntilMs: nowMs,
  slowdowns: 0,
  slowedAtMs: 0,
  slowedPerSecond: 0,
});

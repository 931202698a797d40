import { setImmediate as nextTick } from 'node:timers/promises';
import type { RestoreEnv } from '../env/restore-env.ts';

/** Waits of the rate limiter return at once and advance the clock instead. */
export const withVirtualTime = (t: RestoreEnv): { readonly sleptMs: () => number } => {
  const real = t.nowMs;
  let sleptMs = 0;
  t.nowMs = () => real() + sleptMs;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    sleptMs += ms;
    await nextTick();
  };
  Object.assign(t.deps, { sleep });
  return { sleptMs: () => sleptMs };
};

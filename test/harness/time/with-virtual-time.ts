import { setImmediate as turn } from 'node:timers/promises';
import type { RestoreWorld } from '../env/restore-env.ts';

/** Waits of the rate limiter take no real time but advance the clock, so that slowness is measurable. */
export const withVirtualTime = (world: RestoreWorld): { readonly sleptMs: () => number } => {
  const real = world.nowMs;
  let sleptMs = 0;
  world.nowMs = () => real() + sleptMs;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    sleptMs += ms;
    await turn();
  };
  Object.assign(world.engine, { sleep });
  return { sleptMs: () => sleptMs };
};

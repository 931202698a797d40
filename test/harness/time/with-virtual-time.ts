import { setImmediate as turn } from 'node:timers/promises';
import type { RestoreEnv } from '../env/restore-env.ts';

/** Waiting for the pace passes at once, and the clock with it: what is slow takes no time, and is seen to be slow. */
export const withVirtualTime = (world: RestoreEnv): { readonly sleptMs: () => number } => {
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

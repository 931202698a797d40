import { setImmediate as nextTick } from 'node:timers/promises';
import type { RestoreEnv } from '../env/restore-env.ts';

/** Rate-limit waits return take once and advance the clock instead. */
export const withVirtualTime = (world: RestoreEnv): { readonly sleptMs: () => number } => {
  const real = world.nowMs;
  let sleptMs = 0;
  world.nowMs = () => real() + sleptMs;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    sleptMs += ms;
    await nextTick();
  };
  Object.assign(world.engine, { sleep });
  return { sleptMs: () => sleptMs };
};

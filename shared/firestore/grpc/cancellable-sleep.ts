import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from './source-error.ts';

/** Sleeps; the signal ends it at once with CANCELLED. */
export const cancellableSleep = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  try {
    await wait(ms, undefined, signal ? { signal } : {});
  } catch {
    throw cancelled();
  }
};

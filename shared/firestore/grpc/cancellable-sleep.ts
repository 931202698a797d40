import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from './source-error.ts';

/** Waits so long; with the signal it ends at once, as cancelled. */
export const cancellableSleep = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  try {
    await wait(ms, undefined, signal ? { signal } : {});
  } catch {
    throw cancelled();
  }
};

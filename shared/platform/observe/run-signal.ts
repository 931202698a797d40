/** The early timeout of the run that code is part of, however deep. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { FunctionTimeoutError } from './function-timeout-error.ts';

const signals = new AsyncLocalStorage<AbortSignal>();

export const withRunSignal = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => signals.run(signal, work);

/**
 * Throws if this run has timed out. Its caller was answered or its step is retried, and what is left of it may run minutes later,
 * when Lambda thaws the container for another run. So every write asks before it is sent.
 */
export const assertRunActive = (): void => {
  if (signals.getStore()?.aborted) throw new FunctionTimeoutError();
};

/** The early timeout of the current run. */
import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal>();

export const withRunSignal = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => signals.run(signal, work);

/**
 * Throws if this run has timed out. Its caller has a response or its step is retried, but its code may resume minutes later, when
 * Lambda thaws the container. Every write calls this before it is sent.
 */
export const assertRunActive = (): void => {
  if (signals.getStore()?.aborted) throw new FunctionTimeoutError();
};

/** Thrown shortly before Lambda would end the run. Middleware translates it to the response of the trigger. */
export class FunctionTimeoutError extends Error {
  constructor() {
    super('the function timed out');
    this.name = 'FunctionTimeoutError';
  }
}

/** Ids that every log line and trace of a piece of asynchronous work contains. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { annotateTrace } from './annotate-trace.ts';

/** Ids of requests, tenants and jobs, never user input. */
export type Ids = Readonly<Record<string, string>>;

const storage = new AsyncLocalStorage<Record<string, string>>();

/** Runs `work` with these ids. Concurrent work has its own context. */
export const withLogContext = async <T>(ids: Ids, work: () => Promise<T>): Promise<T> => {
  const known = { ...storage.getStore(), ...ids };
  const startedMs = Date.now();
  try {
    return await storage.run(known, work);
  } finally {
    annotateTrace(known, startedMs, Date.now());
  }
};

/** Adds ids to the current context. Existing ids win, because they were verified, while ids of a request body were not. */
export const addLogContext = (ids: Ids): void => {
  const known = storage.getStore();
  if (known) Object.assign(known, { ...ids, ...known });
};

export const logContext = (): Ids => storage.getStore() ?? {};

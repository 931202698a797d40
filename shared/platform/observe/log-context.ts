/** What a piece of work is about: every line that is logged in it carries these ids, however deep, and so does its trace. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { annotateTrace } from './xray.ts';

/** Ids of requests, tenants and jobs; never what a person typed. */
export type Ids = Readonly<Record<string, string>>;

const around = new AsyncLocalStorage<Record<string, string>>();

/** Kept by what is asynchronous, not by the module: work that runs side by side does not lend its ids to its neighbours. */
export const withLogContext = async <T>(ids: Ids, work: () => Promise<T>): Promise<T> => {
  const known = { ...around.getStore(), ...ids };
  const beganMs = Date.now();
  try {
    return await around.run(known, work);
  } finally {
    annotateTrace(known, beganMs, Date.now());
  }
};

/** For what becomes known on the way. What is known already stays: whose call it is was proven, what a body names was not. */
export const addLogContext = (ids: Ids): void => {
  const known = around.getStore();
  if (known) Object.assign(known, { ...ids, ...known });
};

export const logContext = (): Ids => around.getStore() ?? {};

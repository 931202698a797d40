import { setImmediate as turn } from 'node:timers/promises';
import { log } from '../observe/log.ts';
import type { Item, Key } from './change.ts';
import { getAll } from './read-table.ts';

interface Gathering {
  readonly keys: Key[];
  /** Undefined if it could not be read together. */
  readonly found: Promise<readonly (Item | undefined)[] | undefined>;
}

let gathering: Gathering | undefined;

/**
 * As `getAll`, but what several ask for in the same turn of the event loop goes in one call: a batch of messages that are
 * worked on side by side reads once. If that fails, each asks for its own alone: what is busy for one of them fails nobody else.
 */
export const getCoalesced = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
  gathering ??= begin();
  const { keys: all, found } = gathering;
  const start = all.length;
  all.push(...keys);
  return (await found)?.slice(start, start + keys.length) ?? getAll(keys);
};

const begin = (): Gathering => {
  const keys: Key[] = [];
  const found = turn().then(() => {
    gathering = undefined;
    return getAll(keys).catch((error: Error) => void log.warn('could not read together', error));
  });
  return { keys, found };
};

import { setImmediate as turn } from 'node:timers/promises';
import type { Item, Key } from './change.ts';
import { getAll } from './table.ts';

interface Gathering {
  readonly keys: Key[];
  readonly found: Promise<readonly (Item | undefined)[]>;
}

let gathering: Gathering | undefined;

/**
 * As `getAll`, but what several ask for in the same turn of the event loop goes in one call: a batch of messages that are
 * worked on side by side reads once. If that fails, it fails for each of them.
 */
export const getGathered = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
  gathering ??= begin();
  const { keys: all, found } = gathering;
  const start = all.length;
  all.push(...keys);
  return (await found).slice(start, start + keys.length);
};

const begin = (): Gathering => {
  const keys: Key[] = [];
  const found = turn().then(() => {
    gathering = undefined;
    return getAll(keys);
  });
  return { keys, found };
};

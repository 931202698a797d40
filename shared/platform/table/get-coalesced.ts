import { setImmediate as nextTick } from 'node:timers/promises';
import { log } from '../observe/log.ts';
import type { Item, Key } from './change.ts';
import { getAll } from './read-table.ts';

interface PendingBatch {
  readonly keys: Key[];
  /** Undefined if the batch could not be read. */
  readonly items: Promise<readonly (Item | undefined)[] | undefined>;
}

let pending: PendingBatch | undefined;

/**
 * Like `getAll`, but coalesces all reads issued in one event-loop tick into one BatchGetItem. If the batch fails, each caller retries
 * alone.
 */
export const getCoalesced = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
  pending ??= newBatch();
  const { keys: all, items } = pending;
  const start = all.length;
  all.push(...keys);
  return (await items)?.slice(start, start + keys.length) ?? getAll(keys);
};

const newBatch = (): PendingBatch => {
  const keys: Key[] = [];
  const items = nextTick().then(() => {
    pending = undefined;
    return getAll(keys).catch((error: Error) => void log.warn('coalesced read failed; reading separately', error));
  });
  return { keys, items };
};

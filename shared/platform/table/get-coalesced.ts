import { setImmediate as nextTick } from 'node:timers/promises';
import { log } from '../observe/log.ts';
import { warm } from '../warm.ts';
import type { Item, Key } from './change.ts';
import { getAll } from './read-table.ts';

interface PendingBatch {
  readonly keys: Key[];
  /** Undefined if the batch could not be read. */
  readonly items: Promise<readonly (Item | undefined)[] | undefined>;
}

const next = warm((): { batch: PendingBatch | undefined } => ({ batch: undefined }));

/**
 * Like `getAll`, but coalesces all reads issued in one event-loop tick into one BatchGetItem. If the batch fails, each caller retries
 * alone.
 */
export const getCoalesced = async (keys: readonly Key[]): Promise<readonly (Item | undefined)[]> => {
  const coming = next();
  coming.batch ??= newBatch();
  const { keys: all, items } = coming.batch;
  const start = all.length;
  all.push(...keys);
  return (await items)?.slice(start, start + keys.length) ?? getAll(keys);
};

const newBatch = (): PendingBatch => {
  const keys: Key[] = [];
  const items = nextTick().then(() => {
    next().batch = undefined;
    return getAll(keys).catch((error: Error) => void log.warn('coalesced read failed; reading separately', error));
  });
  return { keys, items };
};

/** Removes many items outside any transaction: for the purge, whose every step may run again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Key } from './change.ts';
import { dynamodb } from './dynamodb.ts';
import { env } from './env.ts';
import { encodedKey } from './table.ts';

/** BatchWriteItem takes at most this many items a call. */
const batchMax = 25;
const triesMax = 8;

/** Removes the items of these keys; one that is gone already is no error. Rejects if any may be left. */
export const removeAll = async (keys: readonly Key[]): Promise<void> => {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  const starts = Array.from({ length: Math.ceil(distinct.length / batchMax) }, (_, n) => n * batchMax);
  await Promise.all(starts.map((start) => removeBatch(distinct.slice(start, start + batchMax))));
};

const removeBatch = async (keys: readonly Key[]): Promise<void> => {
  let left: Readonly<Record<string, readonly object[]>> = {
    [env('TABLE_NAME')]: keys.map((key) => ({ DeleteRequest: { Key: encodedKey(key) } })),
  };
  for (let tries = 1; ; tries++) {
    const { UnprocessedItems = {} } = await dynamodb('BatchWriteItem', { RequestItems: left });
    if (Object.keys(UnprocessedItems).length === 0) return;
    if (tries === triesMax) throw new Error('the table keeps putting off removals');
    left = UnprocessedItems;
    await pause(Math.random() * 50 * 2 ** tries);
  }
};

/** Deletes many items outside any transaction: for the purge, whose steps are idempotent. */
import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { callAws } from '../aws-client/call-aws.ts';
import { env } from '../env.ts';
import type { Key } from './change.ts';
import { keyOf } from './read-table.ts';
import { tableClient } from './table-client.ts';

/** BatchWriteItem takes at most this many items a call. */
const batchMax = 25;
const triesMax = 8;

/** Deletes the items of these keys. A missing item is no error. Rejects if any may be left. */
export const removeAll = async (keys: readonly Key[]): Promise<void> => {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  const starts = Array.from({ length: Math.ceil(distinct.length / batchMax) }, (_, n) => n * batchMax);
  await Promise.all(starts.map((start) => removeBatch(distinct.slice(start, start + batchMax))));
};

const removeBatch = async (keys: readonly Key[]): Promise<void> => {
  let left: NonNullable<BatchWriteCommandInput['RequestItems']> = {
    [env('TABLE_NAME')]: keys.map((key) => ({ DeleteRequest: { Key: keyOf(key) } })),
  };
  for (let tries = 1; ; tries++) {
    const command = new BatchWriteCommand({ RequestItems: left });
    const { UnprocessedItems = {} } = await callAws((options) => tableClient.send(command, options));
    if (Object.keys(UnprocessedItems).length === 0) return;
    if (tries === triesMax) throw new Error('DynamoDB left deletions unprocessed in every try');
    left = UnprocessedItems;
    await pause(Math.random() * 50 * 2 ** tries);
  }
};

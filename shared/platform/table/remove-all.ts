/** Deletes many items outside any transaction: for the purge, whose steps are idempotent. */
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { retry } from '../async/retry.ts';
import { callAws } from '../aws-client/call-aws.ts';
import { env } from '../env.ts';
import type { Key } from './change.ts';
import { keyOf } from './read-table.ts';
import { tableClient } from './table-client.ts';

/** BatchWriteItem accepts at most this many items. */
const batchMax = 25;
const backoff = { attempts: 8, firstDelayMs: 100 };

/** Deletes the items of these keys. A missing item is no error. Rejects if any may remain. */
export const removeAll = async (keys: readonly Key[]): Promise<void> => {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  const starts = Array.from({ length: Math.ceil(distinct.length / batchMax) }, (_, n) => n * batchMax);
  await Promise.all(starts.map((start) => removeBatch(distinct.slice(start, start + batchMax))));
};

const removeBatch = async (keys: readonly Key[]): Promise<void> => {
  let unprocessed: NonNullable<BatchWriteCommandInput['RequestItems']> = {
    [env('TABLE_NAME')]: keys.map((key) => ({ DeleteRequest: { Key: keyOf(key) } })),
  };
  await retry(backoff, {
    classify: isUnprocessed,
    work: async () => {
      const command = new BatchWriteCommand({ RequestItems: unprocessed });
      const { UnprocessedItems = {} } = await callAws((options) => tableClient().send(command, options));
      unprocessed = UnprocessedItems;
      if (Object.keys(unprocessed).length > 0) throw new UnprocessedError('DynamoDB left deletions unprocessed in every attempt');
    },
  });
};

class UnprocessedError extends Error {}
const isUnprocessed = (error: unknown): boolean => error instanceof UnprocessedError;

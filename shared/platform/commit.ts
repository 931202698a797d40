/** The only way to change what matters: one transaction, all writes or none. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../contract/errors.ts';
import { encodeItem } from './attribute.ts';
import { isRefusal } from './aws-error.ts';
import type { Write } from './change.ts';
import { dynamodb } from './dynamodb.ts';
import { env } from './env.ts';
import { encodedKey } from './table.ts';

/** A transaction holds at most this many writes. */
export const transactionMax = 100;

/** The waits before the tries after the first are 0 to 40, 80, 160, 320 and 640 ms: 0.6 s on average in all. */
const triesMax = 6;

/**
 * A failed condition throws what that write's `otherwise` says (CONFLICT where it says nothing); a clash with another
 * transaction is tried again, because it says nothing about the conditions. One token for all tries: a try whose answer
 * was lost is not made twice.
 */
export const commit = async (writes: readonly Write[]): Promise<void> => {
  if (writes.length === 0) return;
  if (writes.length > transactionMax) throw new Error(`a transaction of ${writes.length} writes; at most ${transactionMax} fit`);
  const input = { TransactItems: writes.map(operation), ClientRequestToken: randomUUID() };
  for (let tries = 1; ; tries++) {
    try {
      await dynamodb('TransactWriteItems', input);
      return;
    } catch (error) {
      const refusal = await judge(error, writes);
      if (tries === triesMax) throw refusal;
      await pause(Math.random() * 20 * 2 ** tries);
    }
  }
};

/** What to tell the caller if trying again does not help; throws at once what trying again cannot help. */
const judge = async (error: unknown, writes: readonly Write[]): Promise<ApiError> => {
  const clash = new ApiError('CONFLICT', 'Others are changing this at the same moment; try again', undefined, { cause: error });
  if (isRefusal(error, 'TransactionInProgressException')) return clash;
  if (!isRefusal(error, 'TransactionCanceledException')) throw error;
  const { CancellationReasons: reasons = [] } = error.details as { readonly CancellationReasons?: readonly { Code?: string }[] };
  const codes = reasons.map(({ Code }) => Code);
  const failed = codes.indexOf('ConditionalCheckFailed');
  if (failed >= 0) {
    const otherwise = await writes[failed]?.otherwise?.();
    throw (
      otherwise ??
      new ApiError('CONFLICT', 'Someone else changed this at the same moment; read it again', undefined, { cause: error })
    );
  }
  if (codes.includes('TransactionConflict')) return clash;
  if (codes.includes('ThrottlingError') || codes.includes('ProvisionedThroughputExceeded')) {
    return new ApiError('SERVICE_UNAVAILABLE', 'The database is busy; try again shortly', undefined, { cause: error });
  }
  throw error;
};

const operation = (write: Write): object => {
  const common = {
    TableName: env('TABLE_NAME'),
    ...(write.condition && { ConditionExpression: write.condition }),
    ...(write.names && Object.keys(write.names).length > 0 && { ExpressionAttributeNames: write.names }),
    ...(write.values && Object.keys(write.values).length > 0 && { ExpressionAttributeValues: encodeItem(write.values) }),
  };
  if ('put' in write) return { Put: { ...common, Item: encodeItem(write.put) } };
  if ('update' in write) return { Update: { ...common, Key: encodedKey(write.update), UpdateExpression: write.expression } };
  if ('remove' in write) return { Delete: { ...common, Key: encodedKey(write.remove) } };
  return { ConditionCheck: { ...common, Key: encodedKey(write.check), ConditionExpression: write.condition } };
};

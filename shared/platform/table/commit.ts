/** Commits a change: one transaction, all writes or none. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../../contract/errors.ts';
import { isAwsError } from '../aws-client/aws-error.ts';
import { callAws } from '../aws-client/call-aws.ts';
import { env } from '../env.ts';
import { assertRunActive } from '../observe/run-signal.ts';
import type { Write } from './change.ts';
import { storable } from './item-values.ts';
import { keyOf } from './read-table.ts';
import { tableClient } from './table-client.ts';

/** A transaction holds at most this many writes. */
export const transactionMax = 100;

/** The waits before the tries after the first are 0 to 40, 80, 160, 320 and 640 ms: 0.6 s on average in all. */
const triesMax = 6;

/**
 * A failed condition throws the error of that write's `onConditionFailed`, or CONFLICT. A clash with another transaction is retried,
 * because it says nothing about the conditions. All tries share one client request token, so that a transaction whose answer was
 * lost is not applied twice. A run that has timed out commits nothing.
 */
export const commit = async (writes: readonly Write[]): Promise<void> => {
  if (writes.length === 0) return;
  if (writes.length > transactionMax)
    throw new Error(`a transaction of ${writes.length} writes exceeds the limit of ${transactionMax}`);
  const input = { TransactItems: writes.map(operation), ClientRequestToken: randomUUID() };
  for (let tries = 1; ; tries++) {
    assertRunActive();
    try {
      await callAws((options) => tableClient.send(new TransactWriteCommand(input), options));
      return;
    } catch (error) {
      const refusal = await judge(error, writes);
      if (tries === triesMax) throw refusal;
      await pause(Math.random() * 20 * 2 ** tries);
    }
  }
};

/** Returns the error for the caller if all retries fail. Throws at once where a retry cannot help. */
const judge = async (error: unknown, writes: readonly Write[]): Promise<ApiError> => {
  const clash = new ApiError('CONFLICT', 'Others are changing this at the same moment; try again', undefined, { cause: error });
  if (isAwsError(error, 'TransactionInProgressException')) return clash;
  if (!isAwsError(error, 'TransactionCanceledException')) throw error;
  const { CancellationReasons: reasons = [] } = error as TransactionCanceledException;
  const codes = reasons.map(({ Code }) => Code);
  const failed = codes.indexOf('ConditionalCheckFailed');
  if (failed >= 0) {
    const onConditionFailed = await writes[failed]?.onConditionFailed?.();
    throw (
      onConditionFailed ??
      new ApiError('CONFLICT', 'Someone else changed this at the same moment; read it again', undefined, { cause: error })
    );
  }
  if (codes.includes('TransactionConflict')) return clash;
  if (codes.includes('ThrottlingError') || codes.includes('ProvisionedThroughputExceeded')) {
    return new ApiError('SERVICE_UNAVAILABLE', 'The database is busy; try again shortly', undefined, { cause: error });
  }
  throw error;
};

type Operation = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const operation = (write: Write): Operation => {
  const common = {
    TableName: env('TABLE_NAME'),
    ...(write.condition && { ConditionExpression: write.condition }),
    ...(write.names && Object.keys(write.names).length > 0 && { ExpressionAttributeNames: write.names }),
    ...(write.values && Object.keys(write.values).length > 0 && { ExpressionAttributeValues: storable(write.values) }),
  };
  if ('put' in write) return { Put: { ...common, Item: storable(write.put) } };
  if ('update' in write) return { Update: { ...common, Key: keyOf(write.update), UpdateExpression: write.expression } };
  if ('remove' in write) return { Delete: { ...common, Key: keyOf(write.remove) } };
  return { ConditionCheck: { ...common, Key: keyOf(write.check), ConditionExpression: write.condition } };
};

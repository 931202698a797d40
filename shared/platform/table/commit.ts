/** Commits a change: one transaction, all writes or none. */
import { randomUUID } from 'node:crypto';
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../../contract/errors.ts';
import { retry } from '../async/retry.ts';
import { callAws } from '../aws-client/call-aws.ts';
import { isAwsError } from '../aws-client/is-aws-error.ts';
import { env } from '../env.ts';
import { assertRunActive } from '../observe/run-signal.ts';
import type { Write } from './change.ts';
import { storable } from './item-values.ts';
import { keyOf } from './read-table.ts';
import { tableClient } from './table-client.ts';

/** A transaction holds at most this many writes. */
export const transactionMax = 100;

/** The delays are up to 40, 80, 160, 320 and 640 ms: 0.6 s on average in all. */
const backoff = { attempts: 6, firstDelayMs: 40 };

/**
 * A failed condition throws the error of that write's `onConditionFailed`, or CONFLICT. A clash with another transaction is retried,
 * because it says nothing about the conditions. All attempts share one client request token, so that a transaction whose response
 * was lost is not applied twice. A run that has timed out commits nothing.
 */
export const commit = async (writes: readonly Write[]): Promise<void> => {
  if (writes.length === 0) return;
  if (writes.length > transactionMax)
    throw new Error(`a transaction of ${writes.length} writes exceeds the limit of ${transactionMax}`);
  const input = { TransactItems: writes.map(operation), ClientRequestToken: randomUUID() };
  const send = async (): Promise<void> => {
    assertRunActive();
    await callAws((options) => tableClient().send(new TransactWriteCommand(input), options));
  };
  try {
    await retry(backoff, { classify: isClash, work: send });
  } catch (error) {
    throw await meaningOf(error, writes);
  }
};

const busy = ['ThrottlingError', 'ProvisionedThroughputExceeded'];

const cancellationCodes = (error: unknown): readonly (string | undefined)[] =>
  isAwsError(error, 'TransactionCanceledException')
    ? ((error as TransactionCanceledException).CancellationReasons ?? []).map(({ Code }) => Code)
    : [];

/** DynamoDB did not decide on the conditions, because of a concurrent transaction or throttling. */
const isClash = (error: unknown): boolean => {
  if (isAwsError(error, 'TransactionInProgressException')) return true;
  const codes = cancellationCodes(error);
  if (codes.includes('ConditionalCheckFailed')) return false;
  return codes.some((code) => code === 'TransactionConflict' || busy.includes(String(code)));
};

/** The error for the caller. */
const meaningOf = async (error: unknown, writes: readonly Write[]): Promise<unknown> => {
  const codes = cancellationCodes(error);
  const failed = codes.indexOf('ConditionalCheckFailed');
  if (failed >= 0)
    return (
      (await writes[failed]?.onConditionFailed?.()) ??
      new ApiError('CONFLICT', 'The resource was changed concurrently; read it again', undefined, { cause: error })
    );
  if (!isClash(error)) return error;
  return codes.some((code) => busy.includes(String(code))) && !codes.includes('TransactionConflict')
    ? new ApiError('SERVICE_UNAVAILABLE', 'The database is busy; try again shortly', undefined, { cause: error })
    : new ApiError('CONFLICT', 'The resource is being changed concurrently; try again', undefined, { cause: error });
};

type Operation = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The condition of a write, and the names and values of all its expressions. */
export const conditionParameters = ({ condition, names = {}, values = {} }: Write) => ({
  ...(condition && { ConditionExpression: condition }),
  ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
  ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: storable(values) }),
});

const operation = (write: Write): Operation => {
  const common = { TableName: env('TABLE_NAME'), ...conditionParameters(write) };
  if ('put' in write) return { Put: { ...common, Item: storable(write.put) } };
  if ('update' in write) return { Update: { ...common, Key: keyOf(write.update), UpdateExpression: write.expression } };
  if ('remove' in write) return { Delete: { ...common, Key: keyOf(write.remove) } };
  return { ConditionCheck: { ...common, Key: keyOf(write.check), ConditionExpression: write.condition } };
};

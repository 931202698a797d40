/**
 * Single-item writes outside a transaction. Each is one atomic step, so of two concurrent callers only one succeeds.
 * A run that has timed out writes nothing.
 */
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { callAws } from '../aws-client/call-aws.ts';
import { isAwsError } from '../aws-client/is-aws-error.ts';
import { OutcomeUnknownError } from '../aws-client/outcome-unknown-error.ts';
import { env } from '../env.ts';
import { assertRunActive } from '../observe/run-signal.ts';
import { randomToken } from '../random-id.ts';
import type { Item, ItemOf, Key, Write } from './change.ts';
import { conditionParameters } from './commit.ts';
import { storable } from './item-values.ts';
import { itemOf, keyOf } from './read-table.ts';
import { tableClient } from './table-client.ts';

/**
 * Takes an item that can be used once, and returns it. Of several concurrent callers one gets it, the others get undefined.
 * The item stays, marked with this call: a delete that is sent again after a lost response would find nothing.
 */
export const takeItem = async <T>(key: Key<T>): Promise<ItemOf<T> | undefined> => {
  assertRunActive();
  const command = new UpdateCommand({
    TableName: env('TABLE_NAME'),
    Key: keyOf(key),
    UpdateExpression: 'SET #takenBy = :call',
    ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(#takenBy) OR #takenBy = :call)',
    ExpressionAttributeNames: { '#takenBy': 'takenBy' },
    ExpressionAttributeValues: { ':call': randomToken() },
    ReturnValues: 'ALL_NEW',
  });
  try {
    const { Attributes: taken } = await callAws((options) => tableClient().send(command, options));
    return taken && (itemOf(taken) as ItemOf<T>);
  } catch (error) {
    // The condition fails only for items of other calls, so that a lost response makes no difference.
    if (isAwsError(error, 'ConditionalCheckFailedException') || error instanceof OutcomeUnknownError) return undefined;
    throw error;
  }
};

/** Sets an attribute unless it has a value, and returns the value it has now: all concurrent callers get the same one. */
export const setIfAbsent = async (key: Key, attribute: string, value: string): Promise<string> => {
  assertRunActive();
  const command = new UpdateCommand({
    TableName: env('TABLE_NAME'),
    Key: keyOf(key),
    UpdateExpression: 'SET #name = if_not_exists(#name, :value)',
    ExpressionAttributeNames: { '#name': attribute },
    ExpressionAttributeValues: { ':value': value },
    ReturnValues: 'ALL_NEW',
  });
  const { Attributes: after = {} } = await callAws((options) => tableClient().send(command, options));
  return after[attribute] as string;
};

/** Creates an item. False if one with its key exists; that one stays unchanged. */
export const putIfAbsent = async (item: Item): Promise<boolean> => {
  assertRunActive();
  const command = new PutCommand({
    TableName: env('TABLE_NAME'),
    Item: storable(item),
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  return isConditionMet(callAws((options) => tableClient().send(command, options)));
};

/** Updates one item outside a transaction, at half its price. False if the condition fails; nothing has changed then. */
export const updateItem = async (write: Extract<Write, { update: Key }>): Promise<boolean> => {
  assertRunActive();
  const command = new UpdateCommand({
    TableName: env('TABLE_NAME'),
    Key: keyOf(write.update),
    UpdateExpression: write.expression,
    ...conditionParameters(write),
  });
  return isConditionMet(callAws((options) => tableClient().send(command, options)));
};

/** An OutcomeUnknownError passes through: the caller has to read the item again. */
const isConditionMet = async (call: Promise<unknown>): Promise<boolean> => {
  try {
    await call;
    return true;
  } catch (error) {
    if (isAwsError(error, 'ConditionalCheckFailedException')) return false;
    throw error;
  }
};

/** Single items that change hands outside a transaction: each call is one atomic step, so two callers never both win. */
import { decodeItem, encodeItem } from './attribute.ts';
import { isRefusal } from './aws-error.ts';
import type { Item, Key, Write } from './change.ts';
import { dynamodb } from './dynamodb.ts';
import { env } from './env.ts';
import { decodedItem, encodedKey } from './table.ts';

/** Removes an item and tells what it was: of several takers one gets it, the others undefined. */
export const take = async (key: Key): Promise<Item | undefined> => {
  const asked = { TableName: env('TABLE_NAME'), Key: encodedKey(key), ReturnValues: 'ALL_OLD' };
  const { Attributes: before } = await dynamodb('DeleteItem', asked);
  return before && decodedItem(before);
};

/** Gives an item's attribute this value unless it has one already, and tells which it has: whoever comes first, all agree. */
export const claim = async (key: Key, attribute: string, value: string): Promise<string> => {
  const { Attributes: after = {} } = await dynamodb('UpdateItem', {
    TableName: env('TABLE_NAME'),
    Key: encodedKey(key),
    UpdateExpression: 'SET #name = if_not_exists(#name, :value)',
    ExpressionAttributeNames: { '#name': attribute },
    ExpressionAttributeValues: encodeItem({ ':value': value }),
    ReturnValues: 'ALL_NEW',
  });
  return decodeItem(after)[attribute] as string;
};

/** Puts an item where there is none; false if there is one already, which stays as it is. */
export const putNew = (item: Item): Promise<boolean> =>
  whetherMet(
    dynamodb('PutItem', {
      TableName: env('TABLE_NAME'),
      Item: encodeItem(item),
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );

/** Changes one item outside a transaction, at half its price; false if the condition fails, and then nothing changed. */
export const changeOne = (write: Extract<Write, { update: Key }>): Promise<boolean> =>
  whetherMet(
    dynamodb('UpdateItem', {
      TableName: env('TABLE_NAME'),
      Key: encodedKey(write.update),
      UpdateExpression: write.expression,
      ...(write.condition && { ConditionExpression: write.condition }),
      ...(write.names && Object.keys(write.names).length > 0 && { ExpressionAttributeNames: write.names }),
      ...(write.values && Object.keys(write.values).length > 0 && { ExpressionAttributeValues: encodeItem(write.values) }),
    }),
  );

const whetherMet = async (call: Promise<unknown>): Promise<boolean> => {
  try {
    await call;
    return true;
  } catch (error) {
    if (!isRefusal(error, 'ConditionalCheckFailedException')) throw error;
    // Whether it was ours that made the condition fail is not known: whoever asked looks again.
    if (error.cause) throw error.cause;
    return false;
  }
};

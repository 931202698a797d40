/** Single items that change hands outside a transaction: each call is one atomic step, so two callers never both win. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Key, Write } from './change.ts';
import { env } from './env.ts';
import { client } from './table.ts';

/** Removes an item and tells what it was: of several takers one gets it, the others undefined. */
export const take = async ({ pk, sk }: Key): Promise<Item | undefined> => {
  const answer = await client().send(
    new DeleteCommand({ TableName: env('TABLE_NAME'), Key: { pk, sk }, ReturnValues: 'ALL_OLD' }),
  );
  return answer.Attributes as Item | undefined;
};

/** Gives an item's attribute this value unless it has one already, and tells which it has: whoever comes first, all agree. */
export const claim = async ({ pk, sk }: Key, attribute: string, value: string): Promise<string> => {
  const answer = await client().send(
    new UpdateCommand({
      TableName: env('TABLE_NAME'),
      Key: { pk, sk },
      UpdateExpression: 'SET #name = if_not_exists(#name, :value)',
      ExpressionAttributeNames: { '#name': attribute },
      ExpressionAttributeValues: { ':value': value },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return answer.Attributes?.[attribute] as string;
};

/** Puts an item where there is none; false if there is one already, which stays as it is. */
export const putNew = (item: Item): Promise<boolean> =>
  whetherMet(
    client().send(new PutCommand({ TableName: env('TABLE_NAME'), Item: item, ConditionExpression: 'attribute_not_exists(pk)' })),
  );

/** Changes one item outside a transaction, at half its price; false if the condition fails, and then nothing changed. */
export const changeOne = (write: Extract<Write, { update: Key }>): Promise<boolean> =>
  whetherMet(
    client().send(
      new UpdateCommand({
        TableName: env('TABLE_NAME'),
        Key: { pk: write.update.pk, sk: write.update.sk },
        UpdateExpression: write.expression,
        ...(write.condition && { ConditionExpression: write.condition }),
        ...(write.names && Object.keys(write.names).length > 0 && { ExpressionAttributeNames: { ...write.names } }),
        ...(write.values && Object.keys(write.values).length > 0 && { ExpressionAttributeValues: { ...write.values } }),
      }),
    ),
  );

const whetherMet = async (call: Promise<unknown>): Promise<boolean> => {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

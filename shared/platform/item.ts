/** Single items that change hands outside a transaction: each call is one atomic step, so two callers never both win. */
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Key } from './change.ts';
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

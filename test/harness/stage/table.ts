/** Direct access to the stage's table, for items that no endpoint shows. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, warm } from '../../../shared/platform/index.ts';
import { stageVariable } from './client.ts';

export const documentClient = warm(() =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint: stageVariable('STAGE_AWS_URL'),
      region: stageVariable('STAGE_REGION'),
      credentials: { accessKeyId: stageVariable('STAGE_AWS_KEY'), secretAccessKey: 'local' },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  ),
);

const TableName = (): string => stageVariable('STAGE_TABLE');

export const getItem = async ({ pk, sk }: Key): Promise<Item | undefined> =>
  (await documentClient().send(new GetCommand({ TableName: TableName(), Key: { pk, sk }, ConsistentRead: true }))).Item as
    | Item
    | undefined;

export const putItem = async (item: Item): Promise<void> => {
  await documentClient().send(new PutCommand({ TableName: TableName(), Item: item }));
};

/** Sets fields of an item, also of one that the stage changes at any time. */
export const setFields = async ({ pk, sk }: Key, fields: Readonly<Record<string, unknown>>): Promise<void> => {
  const names = Object.keys(fields);
  await documentClient().send(
    new UpdateCommand({
      TableName: TableName(),
      Key: { pk, sk },
      ConditionExpression: 'attribute_exists(pk)',
      UpdateExpression: `SET ${names.map((_, n) => `#n${n} = :v${n}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#n${n}`, name])),
      ExpressionAttributeValues: Object.fromEntries(Object.values(fields).map((value, n) => [`:v${n}`, value])),
    }),
  );
};

export const removeItem = async ({ pk, sk }: Key): Promise<void> => {
  await documentClient().send(new DeleteCommand({ TableName: TableName(), Key: { pk, sk } }));
};

/** Batches that are written at the same time. */
const lanes = 8;

/** Writes many items in no particular order. */
export const putItems = async (items: readonly Item[]): Promise<void> => {
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, n) => items.slice(n * 25, n * 25 + 25)).values();
  const write = async (): Promise<void> => {
    for (const batch of batches) {
      const RequestItems = { [TableName()]: batch.map((Item) => ({ PutRequest: { Item } })) };
      await documentClient().send(new BatchWriteCommand({ RequestItems }));
    }
  };
  await Promise.all(Array.from({ length: lanes }, write));
};

/** The hourly sweep sets it at any time, which is not an effect of what a test did. */
const withoutDigestWeek = ({ digestWeek: _, ...item }: Item): Item => item;

/** The items of a partition by sort key. */
export const itemsOf = async (pk: string): Promise<readonly Item[]> => {
  const found: Item[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const answer = await documentClient().send(
      new QueryCommand({
        TableName: TableName(),
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    found.push(...((answer.Items ?? []) as Item[]).map(withoutDigestWeek));
    from = answer.LastEvaluatedKey;
  } while (from);
  return found;
};

/** All items, to prove the absence of something. */
export const allItems = async (): Promise<readonly Item[]> => {
  const found: Item[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const answer = await documentClient().send(
      new ScanCommand({ TableName: TableName(), ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) }),
    );
    found.push(...((answer.Items ?? []) as Item[]).map(withoutDigestWeek));
    from = answer.LastEvaluatedKey;
  } while (from);
  return found;
};

/** Baseline of the start-up times: the DynamoDB client and nothing else. */
import {
  BatchGetItemCommand,
  DynamoDBClient,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

/** Explicit, as in the functions. */
const credentials = { accessKeyId: 'BENCH', secretAccessKey: 'BENCH' };
const client = new DynamoDBClient({ credentials });
const send: Readonly<Record<string, (input: never) => Promise<unknown>>> = {
  BatchGetItem: (input) => client.send(new BatchGetItemCommand(input)),
  Query: (input) => client.send(new QueryCommand(input)),
  TransactWriteItems: (input) => client.send(new TransactWriteItemsCommand(input)),
  UpdateItem: (input) => client.send(new UpdateItemCommand(input)),
};

/** Sends the calls one after the other. */
export const handler = async (calls: readonly { action: string; input: object }[]): Promise<void> => {
  for (const { action, input } of calls) await send[action]?.(input as never);
};

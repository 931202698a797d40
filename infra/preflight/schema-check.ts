import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ownSchema, type ReleasedSchema, schemaRefusal } from '../../shared/contract/schema-refusal.ts';
import { cliCredentials } from '../archive/cli-credentials.ts';
import { openCloudFormationClient } from '../deploy/cloudformation-client.ts';
import { findTable } from '../deploy/find-table.ts';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { mustDo, ok, type Verdict } from './verdict.ts';

const answerMs = 20_000;

/** A deployment never goes back behind the release that has written the table: it might not understand the items. */
export const checkSchema = async ({ region, config, schema = ownSchema }: DeploymentTarget): Promise<Verdict> => {
  const table = await tableOf(region, config);
  if (table === undefined) return ok('there is no table yet');
  const refusal = schemaRefusal(await readSchema(new DynamoDBClient(clientOptions(region)), table), schema);
  return refusal === undefined ? ok(`${schema.release} knows it and writes version ${schema.version}`) : mustDo(refusal);
};

/** That of the stack: the account may have others, such as one that a removed deployment has left. */
const tableOf = async (
  region: string,
  { stackName, tableStreamArn }: DeploymentTarget['config'],
): Promise<string | undefined> => {
  if (tableStreamArn) return /table\/([^/]+)/.exec(tableStreamArn)?.[1];
  const signal = AbortSignal.timeout(answerMs);
  return findTable(openCloudFormationClient({ region, credentials: cliCredentials(), env: process.env, signal }), stackName);
};

/** What the item SCHEMA says; empty if the table has none. */
export const readSchema = async (client: DynamoDBClient, TableName: string): Promise<Partial<ReleasedSchema>> => {
  const Key = { pk: { S: 'SCHEMA' }, sk: { S: 'SCHEMA' } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return { ...(Item?.version?.N && { version: Number(Item.version.N) }), ...(Item?.release?.S && { release: Item.release.S }) };
};

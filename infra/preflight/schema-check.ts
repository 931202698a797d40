import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { schemaVersion, version } from '../../shared/contract/version.ts';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { mustDo, ok, type Verdict } from './verdict.ts';

/** A deployment never goes back behind the release that has written the table: it might not understand the items. */
export const checkSchema = async ({ region, config }: DeploymentTarget): Promise<Verdict> => {
  const client = new DynamoDBClient(clientOptions(region));
  const table = await tableOf(client, config);
  if (table === undefined) return ok('there is no table yet');
  const refusal = await schemaRefusal(client, table);
  return refusal === undefined ? ok(`this release knows it and writes version ${schemaVersion}`) : mustDo(refusal);
};

const tableOf = async (
  client: DynamoDBClient,
  { stackName, tableStreamArn }: DeploymentTarget['config'],
): Promise<string | undefined> => {
  if (tableStreamArn) return /table\/([^/]+)/.exec(tableStreamArn)?.[1];
  // The stack of the CDK, or the nested one of the template, whose name CloudFormation completes.
  for (const prefix of [`${stackName}-data-Table`, `${stackName}-Data-`]) {
    const { TableNames = [] } = await client.send(new ListTablesCommand({ ExclusiveStartTableName: prefix, Limit: 1 }));
    const found = TableNames.find((name) => name.startsWith(prefix));
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Why this release must not use a table, and what to do; undefined if it may. */
export const schemaRefusal = async (client: DynamoDBClient, TableName: string): Promise<string | undefined> => {
  const Key = { pk: { S: 'SCHEMA' }, sk: { S: 'SCHEMA' } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  const found = Number(Item?.version?.N ?? 0);
  const release = Item?.release?.S ?? 'a later release';
  return found <= schemaVersion
    ? undefined
    : `${release} has written the table with schema ${found}, and ${version} knows schema ${schemaVersion}: use ${release} or a later ` +
        'release; infra/deploy.md (Upgrade and roll back) says how to go back nevertheless';
};

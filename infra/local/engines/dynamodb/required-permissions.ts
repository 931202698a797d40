/** The permissions a DynamoDB call needs, with the partition keys it touches. */
import { AwsError, type Json, type Need, type Operation } from '../../base/aws-service.ts';

/** The ARNs and partition key names of the tables. */
export interface Tables {
  arnOf(table: string): string;
  partitionKeyOf(table: string, index?: string): string | undefined;
}

type Attribute = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, Attribute>>;
type Rule = (input: Json, tables: Tables) => readonly Need[];

export const requiredPermissions = ({ action, input }: Operation, tables: Tables): readonly Need[] | undefined =>
  Object.hasOwn(rules, action) ? rules[action]?.(input, tables) : undefined;

const oneItem =
  (action: string, field: 'Key' | 'Item'): Rule =>
  (input, tables) => [needFor(action, { input, items: [input[field]], tables })];

const range =
  (action: string): Rule =>
  (input, tables) => {
    const { IndexName: index } = input;
    const table = tableOf(input);
    const name = typeof index === 'string' ? index : undefined;
    const resource = name === undefined ? tables.arnOf(table) : `${tables.arnOf(table)}/index/${name}`;
    const leading = action === 'Query' ? queriedKey(input, tables.partitionKeyOf(table, name)) : undefined;
    return [
      { action: `dynamodb:${action}`, resources: [resource], ...(leading && { keys: { 'dynamodb:LeadingKeys': [leading] } }) },
    ];
  };

const batch =
  (action: string, keysOf: (requests: unknown) => readonly unknown[]): Rule =>
  (input, tables) =>
    Object.entries((input.RequestItems ?? {}) as Json).map(([TableName, requests]) =>
      needFor(action, { input: { TableName }, items: keysOf(requests), tables }),
    );

const transaction =
  (enclosing: string, parts: Readonly<Record<string, readonly [string, 'Key' | 'Item']>>): Rule =>
  (input, tables) =>
    ((input.TransactItems ?? []) as readonly Json[]).flatMap((entry) =>
      Object.entries(entry).map(([kind, value]) => {
        const [action, field] = parts[kind] ?? [];
        if (!action || !field) throw new AwsError('ValidationException', `${kind} cannot be part of a transaction`);
        return needFor(action, { input: value as Json, items: [(value as Json)[field]], tables, enclosing });
      }),
    );

const wholeTable =
  (action: string): Rule =>
  (input, tables) => [{ action: `dynamodb:${action}`, resources: [tables.arnOf(tableOf(input))] }];

const everything =
  (action: string): Rule =>
  () => [{ action: `dynamodb:${action}`, resources: ['*'] }];

const rules: Readonly<Record<string, Rule>> = {
  GetItem: oneItem('GetItem', 'Key'),
  PutItem: oneItem('PutItem', 'Item'),
  UpdateItem: oneItem('UpdateItem', 'Key'),
  DeleteItem: oneItem('DeleteItem', 'Key'),
  Query: range('Query'),
  Scan: range('Scan'),
  BatchGetItem: batch('BatchGetItem', (request) => ((request as Json).Keys ?? []) as readonly unknown[]),
  BatchWriteItem: batch('BatchWriteItem', (requests) =>
    (requests as readonly Readonly<Record<string, Json>>[]).map(
      ({ PutRequest: put, DeleteRequest: remove }) => put?.Item ?? remove?.Key,
    ),
  ),
  TransactGetItems: transaction('TransactGetItems', { Get: ['GetItem', 'Key'] }),
  TransactWriteItems: transaction('TransactWriteItems', {
    Put: ['PutItem', 'Item'],
    Update: ['UpdateItem', 'Key'],
    Delete: ['DeleteItem', 'Key'],
    ConditionCheck: ['ConditionCheckItem', 'Key'],
  }),
  ...Object.fromEntries(
    ['CreateTable', 'DeleteTable', 'DescribeTable', 'DescribeTimeToLive', 'UpdateTable', 'UpdateTimeToLive'].map((action) => [
      action,
      wholeTable(action),
    ]),
  ),
  ListTables: everything('ListTables'),
};

const tableOf = (input: Json): string => {
  const { TableName: name } = input;
  if (typeof name !== 'string') throw new AwsError('ValidationException', 'TableName is required');
  return name.replace(/^arn:.*:table\//, '');
};

const needFor = (
  action: string,
  {
    input,
    items,
    tables,
    enclosing,
  }: {
    readonly input: Json;
    readonly items: readonly unknown[];
    readonly tables: Tables;
    readonly enclosing?: string | undefined;
  },
): Need => {
  const table = tableOf(input);
  const name = tables.partitionKeyOf(table);
  const leading = items.flatMap((item) => (name === undefined ? [] : textOf((item as Attributes | undefined)?.[name])));
  return {
    action: `dynamodb:${action}`,
    resources: [tables.arnOf(table)],
    keys: { 'dynamodb:LeadingKeys': leading, ...(enclosing && { 'dynamodb:EnclosingOperation': [enclosing] }) },
  };
};

const textOf = (attribute: Attribute | undefined): readonly string[] => {
  const value = attribute?.S ?? attribute?.N ?? attribute?.B;
  return typeof value === 'string' ? [value] : [];
};

/** The value of `pk = :value` in a key condition. There is no other way to query a partition. */
const queriedKey = (input: Json, partitionKey: string | undefined): string | undefined => {
  const { KeyConditionExpression: expression, ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
  if (typeof expression !== 'string' || partitionKey === undefined) return undefined;
  for (const [, left = '', right = ''] of expression.matchAll(/([#:]?[\w.-]+)\s*=\s*([#:]?[\w.-]+)/g)) {
    const [name, value] = left.startsWith(':') ? [right, left] : [left, right];
    const attribute = name.startsWith('#') ? (names as Json | undefined)?.[name] : name;
    if (attribute === partitionKey) return textOf((values as Attributes | undefined)?.[value])[0];
  }
  return undefined;
};

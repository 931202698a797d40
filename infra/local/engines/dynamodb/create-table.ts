import { AwsError, type Json } from '../../base/aws-service.ts';

type KeySchema = readonly { readonly AttributeName: string; readonly KeyType: string }[];

export interface TableDescription {
  readonly KeySchema: KeySchema;
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: KeySchema }[];
  readonly LocalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: KeySchema }[];
  readonly LatestStreamArn?: string;
}

type Ask = (action: string, input: Json) => Promise<Json>;

/** Creates the table if it is missing, and applies the template's stream and time-to-live settings. */
export const createTable = async (ask: Ask, name: string, properties: Json): Promise<TableDescription> => {
  const known = await describe(ask, name);
  const description = known ?? (await create(ask, name, properties));
  const { StreamSpecification: stream, TimeToLiveSpecification: ttl } = properties as Readonly<Record<string, Json | undefined>>;
  if (ttl) await setTimeToLive(ask, name, ttl);
  if (!stream || description.LatestStreamArn) return description;
  await ask('UpdateTable', { TableName: name, StreamSpecification: { StreamEnabled: true, ...stream } });
  return (await describe(ask, name)) ?? description;
};

const describe = async (ask: Ask, name: string): Promise<TableDescription | undefined> => {
  try {
    return (await ask('DescribeTable', { TableName: name })).Table as TableDescription;
  } catch (error) {
    if (error instanceof AwsError && error.code === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

const create = async (ask: Ask, name: string, properties: Json): Promise<TableDescription> => {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, LocalSecondaryIndexes } = properties;
  const { StreamSpecification: stream } = properties;
  const { TableDescription: description } = await ask('CreateTable', {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions,
    KeySchema,
    GlobalSecondaryIndexes,
    LocalSecondaryIndexes,
    ...(stream !== undefined && { StreamSpecification: { StreamEnabled: true, ...(stream as Json) } }),
  });
  return description as TableDescription;
};

const setTimeToLive = async (ask: Ask, name: string, { AttributeName, Enabled }: Json): Promise<void> => {
  const { TimeToLiveDescription: now } = await ask('DescribeTimeToLive', { TableName: name });
  const enabled = Enabled === true || Enabled === 'true';
  if (((now as Json | undefined)?.TimeToLiveStatus === 'ENABLED') === enabled) return;
  await ask('UpdateTimeToLive', { TableName: name, TimeToLiveSpecification: { AttributeName, Enabled: enabled } });
};

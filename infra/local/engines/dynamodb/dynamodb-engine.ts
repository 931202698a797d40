/** DynamoDB and DynamoDB Streams: the official DynamoDB Local, presented under the stage's account and region. */
import { awsAuthorization } from '../../base/aws-authorization.ts';
import {
  type Answer,
  AwsError,
  type EngineOptions,
  type Json,
  type Need,
  type Operation,
  type Service,
  text,
} from '../../base/aws-service.ts';
import type { Resource } from '../../base/types.ts';
import { jsonProtocol } from '../shared/aws-protocols.ts';
import { openHttpUpstream } from '../shared/http-upstream.ts';
import { createTable, type TableDescription } from './create-table.ts';
import { startDynamoDbProcess } from './dynamodb-process.ts';
import { requiredPermissions, type Tables } from './required-permissions.ts';

/** The account and region DynamoDB Local reports. */
const localArn = 'arn:aws:dynamodb:ddblocal:000000000000:';
const target = { DynamoDB: 'DynamoDB_20120810', Streams: 'DynamoDBStreams_20120810' };

interface DynamoDbOptions extends EngineOptions {
  readonly isInMemory?: boolean | undefined;
}

export const openDynamoDbEngine = async (options: DynamoDbOptions) => {
  const { port, stop } = await startDynamoDbProcess(options.dir, options);
  const upstream = openHttpUpstream(port);
  const ourArn = `arn:aws:dynamodb:${options.region}:${options.account}:`;
  const described = new Map<string, TableDescription>();

  const tables: Tables = {
    arnOf: (table) => `${ourArn}table/${table}`,
    partitionKeyOf: (table, index) => {
      const description = described.get(table);
      const indexes = [...(description?.GlobalSecondaryIndexes ?? []), ...(description?.LocalSecondaryIndexes ?? [])];
      const schema =
        index === undefined ? description?.KeySchema : indexes.find(({ IndexName }) => IndexName === index)?.KeySchema;
      return schema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName;
    },
  };

  // DynamoDB Local accepts only alphanumeric access keys and checks no signature.
  const credential = awsAuthorization({ accessKeyId: 'local', region: options.region, service: 'dynamodb' });

  const forward = (action: string, body: Buffer | string): Promise<Answer> =>
    upstream.send({
      method: 'POST',
      path: '/',
      headers: {
        authorization: credential,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `${streamActions.has(action) ? target.Streams : target.DynamoDB}.${action}`,
      },
      body,
    });

  const ask = async (action: string, input: Json): Promise<Json> => {
    const answer = await forward(action, JSON.stringify(input));
    const output = JSON.parse(answer.body.toString()) as Json;
    if (answer.status === 200) return output;
    throw new AwsError(String(output.__type).replace(/^.*#/, ''), String(output.message ?? output.Message));
  };

  const service: Service = {
    ...jsonProtocol('1.0'),
    needs: (operation) => streamNeeds(operation, ourArn) ?? requiredPermissions(operation, tables),
    answer: async ({ action, input }, { body }) => {
      // Item operations are forwarded unchanged; only operations with table or stream ARNs are translated.
      if (!translated.has(action) && !String(input.TableName ?? '').startsWith('arn:')) return forward(action, body);
      const { status, headers, body: answer } = await forward(action, body.toString().replaceAll(ourArn, localArn));
      const { 'x-amz-crc32': _checksum, ...rest } = headers;
      return { status, headers: rest, body: answer.toString().replaceAll(localArn, ourArn) };
    },
  };

  return {
    service,
    /** Creates the table, or finds that of an earlier run. */
    provision: async ({ name, properties }: Resource): Promise<Record<string, string>> => {
      const description = await createTable(ask, name, properties);
      described.set(name, description);
      return { StreamArn: description.LatestStreamArn?.replace(localArn, ourArn) ?? '' };
    },
    stop: async () => {
      upstream.close();
      await stop();
    },
  };
};

const streamActions = new Set(['ListStreams', 'DescribeStream', 'GetShardIterator', 'GetRecords']);
const translated = new Set([
  'CreateTable',
  'DeleteTable',
  'DescribeTable',
  'UpdateTable',
  'ListStreams',
  'DescribeStream',
  'GetShardIterator',
  // Iterators contain the stream's ARN.
  'GetRecords',
]);

const streamNeeds = ({ action, input }: Operation, ourArn: string): readonly Need[] | undefined => {
  if (!streamActions.has(action)) return undefined;
  return [{ action: `dynamodb:${action}`, resources: [streamOf(action, input, ourArn)] }];
};

const streamOf = (action: string, input: Json, ourArn: string): string => {
  if (action === 'ListStreams') return `${ourArn}table/${input.TableName ?? '*'}/stream/*`;
  if (action !== 'GetRecords') return text(input, 'StreamArn');
  // DynamoDB Local puts the stream's ARN into its iterators: `arn:…|001|…`.
  const arn = /^(arn:[^|]+)\|/.exec(text(input, 'ShardIterator'))?.[1];
  if (!arn) throw new AwsError('ValidationException', 'Invalid ShardIterator');
  return arn.replace(localArn, ourArn);
};

/** Health checks of the services behind the API. Each has two seconds to respond. */
import { DescribeTableCommand, DynamoDBClient, type TableDescription } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { callAws } from '../aws-client/call-aws.ts';
import { queueClientConfig } from '../aws-client/queue-client.ts';
import { sdkConfig } from '../aws-client/sdk-config.ts';
import { clock } from '../clock.ts';
import { env } from '../env.ts';
import { warm } from '../warm.ts';
import { log } from './log.ts';

/** Separate clients, because a check has less time and fewer attempts than other calls. */
const maxAttempts = 2;
const budgetMs = 2_000;
const dynamodb = warm(() => new DynamoDBClient({ ...sdkConfig, maxAttempts }));
const sqs = warm(() => new SQSClient({ ...queueClientConfig, maxAttempts }));

/** The endpoint is public, so a result is cached for this time per container. */
const cachedMs = 2_000;

type Verdict = 'ok' | 'failing';
interface HealthChecks {
  /** The table accepts requests, and this release understands its items. */
  readonly database: Verdict;
  /** The task queue exists and is accessible. */
  readonly queue: Verdict;
  /** The table's encryption key is accessible and its stream is enabled. */
  readonly storage: Verdict;
}

const latest = warm((): { at: number; checks: Promise<HealthChecks> | undefined } => ({ at: 0, checks: undefined }));

/** `isSchemaKnown`: whether this release understands the items of the table. */
export const healthCheck = (isSchemaKnown: () => Promise<boolean>): Promise<HealthChecks> => {
  const at = clock.now().getTime();
  const kept = latest();
  if (!kept.checks || at - kept.at >= cachedMs) Object.assign(kept, { at, checks: checkAll(isSchemaKnown) });
  return kept.checks as Promise<HealthChecks>;
};

const checkAll = async (isSchemaKnown: () => Promise<boolean>): Promise<HealthChecks> => {
  const table = describeTable();
  const [database, queue, storage] = await Promise.all([
    verdict(
      'table',
      Promise.all([table, withReason(isSchemaKnown())]).then(
        ([found, isKnown]) => isKnown && (found?.TableStatus === 'ACTIVE' || found?.TableStatus === 'UPDATING'),
      ),
    ),
    verdict('task queue', describeQueue()),
    verdict(
      'storage',
      table.then((found) => Boolean(found?.LatestStreamArn) && !found?.SSEDescription?.InaccessibleEncryptionDateTime),
    ),
  ]);
  return { database, queue, storage };
};

const verdict = async (service: string, isHealthy: Promise<boolean>): Promise<Verdict> => {
  try {
    return (await isHealthy) ? 'ok' : 'failing';
  } catch (error) {
    log.error(`health check failed: ${service}`, error as Error);
    return 'failing';
  }
};

const describeTable = async (): Promise<TableDescription | undefined> => {
  const command = new DescribeTableCommand({ TableName: env('TABLE_NAME') });
  return (await callAws((options) => dynamodb().send(command, options), budgetMs)).Table;
};

const withReason = async (asked: Promise<boolean>): Promise<boolean> => {
  const isKnown = await asked;
  if (!isKnown) log.error('the table was written by a later release: deploy that release or a later one');
  return isKnown;
};

const describeQueue = async (): Promise<boolean> => {
  const command = new GetQueueAttributesCommand({ QueueUrl: env('TASK_QUEUE_URL'), AttributeNames: ['QueueArn'] });
  const { Attributes } = await callAws((options) => sqs().send(command, options), budgetMs);
  return Boolean(Attributes?.QueueArn);
};

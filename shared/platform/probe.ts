/** Asks the parts behind the API whether they answer. Each has two seconds; silence counts as failing. */
import { jsonCall } from './aws-json.ts';
import { clock } from './clock.ts';
import { env } from './env.ts';
import { log } from './log.ts';

const patienceMs = 2_000;
/** Anyone may ask, so the parts themselves are asked at most once in this time per container. */
const keptMs = 2_000;

export type Verdict = 'ok' | 'failing';
export interface Checks {
  /** The table takes requests. */
  readonly database: Verdict;
  /** The task queue is there and ours to use. */
  readonly queue: Verdict;
  /** What is written can be read again and leaves: the table's key is in reach and its stream is on. */
  readonly storage: Verdict;
}

let latest: { readonly at: number; readonly checks: Promise<Checks> } | undefined;

export const probe = (): Promise<Checks> => {
  const at = clock.now().getTime();
  if (!latest || at - latest.at >= keptMs) latest = { at, checks: ask() };
  return latest.checks;
};

const ask = async (): Promise<Checks> => {
  const table = describeTable();
  const [database, queue, storage] = await Promise.all([
    verdict(
      'the table',
      table.then((found) => found?.TableStatus === 'ACTIVE' || found?.TableStatus === 'UPDATING'),
    ),
    verdict('the task queue', describeQueue()),
    verdict(
      'the storage',
      table.then((found) => Boolean(found?.LatestStreamArn) && !found?.SSEDescription?.InaccessibleEncryptionDateTime),
    ),
  ]);
  return { database, queue, storage };
};

const verdict = async (what: string, good: Promise<boolean>): Promise<Verdict> => {
  try {
    return (await good) ? 'ok' : 'failing';
  } catch (error) {
    log.error(`${what} does not answer`, error as Error);
    return 'failing';
  }
};

interface Described {
  readonly TableStatus?: string;
  readonly LatestStreamArn?: string;
  readonly SSEDescription?: { readonly InaccessibleEncryptionDateTime?: number };
}

const options = () => ({ attempts: 2, signal: AbortSignal.timeout(patienceMs) });

const describeTable = async (): Promise<Described | undefined> => {
  const asked = { TableName: env('TABLE_NAME') };
  return (await jsonCall<{ Table?: Described }>('dynamodb', 'DescribeTable', asked, options())).Table;
};

const describeQueue = async (): Promise<boolean> => {
  const asked = { QueueUrl: env('TASK_QUEUE_URL'), AttributeNames: ['QueueArn'] };
  const { Attributes } = await jsonCall<{ Attributes?: { QueueArn?: string } }>('sqs', 'GetQueueAttributes', asked, options());
  return Boolean(Attributes?.QueueArn);
};

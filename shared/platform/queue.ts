/** The only door to SQS: hands tasks to the queue and tells which of them it did not take. */
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { env } from './env.ts';
import { patience } from './patience.ts';

let opened: SQSClient | undefined;
const client = (): SQSClient => {
  opened ??= new SQSClient(patience);
  return opened;
};

/** SendMessageBatch takes at most this many messages a call. */
const batchMax = 10;

/** The positions of the messages the queue did not take; empty when it took them all. */
export const sendTasks = async (messages: readonly string[]): Promise<ReadonlySet<number>> => {
  const starts = Array.from({ length: Math.ceil(messages.length / batchMax) }, (_, n) => n * batchMax);
  const refused = await Promise.all(starts.map((start) => sendBatch(messages.slice(start, start + batchMax), start)));
  return new Set(refused.flat());
};

const sendBatch = async (messages: readonly string[], start: number): Promise<readonly number[]> => {
  const entries = messages.map((message, n) => ({ Id: String(start + n), MessageBody: message }));
  const answer = await client().send(new SendMessageBatchCommand({ QueueUrl: env('TASK_QUEUE_URL'), Entries: entries }));
  return (answer.Failed ?? []).map(({ Id }) => Number(Id));
};

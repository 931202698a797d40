/** The only door to SQS: hands tasks to the queue and tells which of them it did not take. */
import type { Variable } from '../contract/uses.ts';
import { jsonCall } from './aws-json.ts';
import { env } from './env.ts';

/** SendMessageBatch takes at most this many messages a call. */
const batchMax = 10;

export interface QueueMessage {
  readonly body: string;
  /** SQS deals out what waits by turns of its senders: a burst of one does not keep the others waiting. */
  readonly sender: string;
  /** The queue keeps it back for so long, at most `delayMaxSeconds`; rounded up, so never for less. */
  readonly delaySeconds?: number;
}

/** What SQS keeps back at most. */
export const delayMaxSeconds = 900;

export type QueueVariable = Extract<Variable, `${string}_QUEUE_URL`>;

/** The positions of the messages the queue did not take; empty when it took them all. */
export const sendTasks = async (queue: QueueVariable, messages: readonly QueueMessage[]): Promise<ReadonlySet<number>> => {
  const starts = Array.from({ length: Math.ceil(messages.length / batchMax) }, (_, n) => n * batchMax);
  const refused = await Promise.all(starts.map((start) => sendBatch(queue, messages.slice(start, start + batchMax), start)));
  return new Set(refused.flat());
};

const sendBatch = async (queue: QueueVariable, messages: readonly QueueMessage[], start: number): Promise<readonly number[]> => {
  const entries = messages.map(({ body, sender, delaySeconds }, n) => ({
    Id: String(start + n),
    MessageBody: body,
    MessageGroupId: sender,
    ...(delaySeconds !== undefined && { DelaySeconds: Math.ceil(delaySeconds) }),
  }));
  const { Failed = [] } = await jsonCall<{ Failed?: { Id: string }[] }>('sqs', 'SendMessageBatch', {
    QueueUrl: env(queue),
    Entries: entries,
  });
  return Failed.map(({ Id }) => Number(Id));
};

/** Sends messages to SQS and returns those it did not accept. Only the health check calls SQS elsewhere. */
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { Variable } from '../../contract/capabilities.ts';
import { callAws } from '../aws-client/call-aws.ts';
import { queueClient } from '../aws-client/queue-client.ts';
import { env } from '../env.ts';

/** SendMessageBatch accepts at most this many messages. */
const batchMax = 10;

export interface QueueMessage {
  readonly body: string;
  /** The fairness group: a burst of one sender does not delay the messages of the others. */
  readonly sender: string;
  /** The queue delays the message by this time, rounded up; at most `delayMaxSeconds`. */
  readonly delaySeconds?: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The longest delay SQS supports. */
export const delayMaxSeconds = 900;

export type QueueVariable = Extract<Variable, `${string}_QUEUE_URL`>;

/** Returns the positions of the messages that SQS did not accept; empty if it accepted all. */
export const sendMessages = async (queue: QueueVariable, messages: readonly QueueMessage[]): Promise<ReadonlySet<number>> => {
  const starts = Array.from({ length: Math.ceil(messages.length / batchMax) }, (_, n) => n * batchMax);
  const refused = await Promise.all(starts.map((start) => sendBatch(queue, messages.slice(start, start + batchMax), start)));
  return new Set(refused.flat());
};

const sendBatch = async (queue: QueueVariable, messages: readonly QueueMessage[], start: number): Promise<readonly number[]> => {
  const entries = messages.map(({ body, sender, delaySeconds, attributes }, n) => ({
    Id: String(start + n),
    MessageBody: body,
    MessageGroupId: sender,
    ...(delaySeconds !== undefined && { DelaySeconds: Math.ceil(delaySeconds) }),
    ...(attributes && { MessageAttributes: stringAttributes(attributes) }),
  }));
  const command = new SendMessageBatchCommand({ QueueUrl: env(queue), Entries: entries });
  const { Failed = [] } = await callAws((options) => queueClient().send(command, options));
  return Failed.map(({ Id }) => Number(Id));
};

const stringAttributes = (attributes: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]));

/**
 * Feeds a function from a queue like Lambda: messages that succeeded are deleted; the others return after their visibility
 * timeout and end in the dead-letter queue according to the queue's redrive policy. Once the function has answered, the rest of
 * the visibility timeout is only a delay and is scaled like all delays.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { rootAccessKeyId } from '../base/types.ts';
import { fedInstancesMax } from '../lambda/host.ts';
import { retryThrottled } from '../lambda/retry-throttled.ts';
import { compileFilterCriteria } from './filter-criteria.ts';
import { clientOptions, failedOf, type Mapping, type Poller, type PollerContext } from './mapping.ts';

/** SQS returns at most this many messages per call. */
const receiveMax = 10;
/** Long polling: an idle queue costs one call per interval. */
const waitSeconds = 20;

interface SourceQueue {
  readonly url: string;
  readonly visibilityTimeoutSeconds: number;
}

export const startQueuePoller = (mapping: Mapping, queue: SourceQueue, outside: PollerContext): Poller => {
  const sqs = new SQSClient(clientOptions(outside));
  /** Shortening a delay is the stage's work, so it uses the stage's credentials: Lambda never changes visibility. */
  const stageSqs = new SQSClient(clientOptions({ ...outside, accessKeyId: rootAccessKeyId }));
  // A batch that the host cannot run at once waits in the queue, where its visibility timeout does not run.
  const batchesAtOnce = Math.min(mapping.concurrencyMax ?? fedInstancesMax, fedInstancesMax);
  const passes = compileFilterCriteria(mapping.filterCriteria);
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  const remove = async (messages: readonly Message[]): Promise<void> => {
    if (messages.length === 0) return;
    const entries = messages.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries: entries }));
  };

  const putBack = async (messages: readonly Message[], sinceMs: number): Promise<void> => {
    if (messages.length === 0 || outside.delayScale === 1) return;
    const leftSeconds = Math.max(Math.floor(queue.visibilityTimeoutSeconds - (Date.now() - sinceMs) / 1_000), 0);
    const entries = messages.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle, VisibilityTimeout: leftSeconds }));
    await stageSqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queue.url, Entries: entries }));
  };

  const feed = async (messages: readonly Message[]): Promise<void> => {
    const sinceMs = Date.now();
    const records = messages.map((message) => recordOf(message, mapping, outside.region));
    const wanted = messages.filter((_, n) => passes(withParsedBody(records[n])));
    const done = new Set(messages.filter((message) => !wanted.includes(message)));
    if (wanted.length > 0) {
      try {
        const event = { Records: records.filter((_, n) => wanted.includes(messages[n] as Message)) };
        // A batch stays in flight while Lambda throttles it, so its messages are not received again.
        const retry = {
          forMs: (queue.visibilityTimeoutSeconds * 1_000) / 2,
          delayScale: outside.delayScale,
          signal: stopping.signal,
        };
        const result = await retryThrottled(retry, () => outside.invoke(mapping.functionName, event));
        const failed = failedOf(mapping, result, wanted.map(idOf));
        for (const message of wanted) if (!failed.has(idOf(message))) done.add(message);
      } catch {
        // The function failed: the whole batch is retried.
      }
    }
    await remove([...done]);
    await putBack(
      messages.filter((message) => !done.has(message)),
      sinceMs,
    );
  };

  const loop = async (): Promise<void> => {
    // Lambda reads the queue's attributes before polling, and the role must allow it.
    const looking = new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: ['VisibilityTimeout'] });
    await sqs.send(looking).catch((error: unknown) => report(error));
    while (!stopping.signal.aborted) {
      try {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: queue.url,
            MaxNumberOfMessages: Math.min(mapping.batchSize, receiveMax),
            WaitTimeSeconds: waitSeconds,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          }),
          { abortSignal: stopping.signal },
        );
        if (Messages.length === 0) continue;
        const work: Promise<void> = feed(Messages)
          .catch((error: unknown) => report(error))
          .finally(() => underWay.delete(work));
        underWay.add(work);
        if (underWay.size >= batchesAtOnce) await Promise.race(underWay);
      } catch (error) {
        if (stopping.signal.aborted) return;
        report(error);
        await pause(1_000, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  };
  const report = (error: unknown): void => {
    if (!stopping.signal.aborted) outside.warn(`cannot feed ${mapping.functionName} from its queue: ${(error as Error).message}`);
  };

  const looping = loop();
  return {
    nudge: () => {},
    stop: async () => {
      stopping.abort();
      await looping;
      await Promise.all(underWay);
      sqs.destroy();
      stageSqs.destroy();
    },
  };
};

const idOf = ({ MessageId }: Message): string => MessageId ?? '';

const recordOf = (message: Message, mapping: Mapping, region: string) => ({
  messageId: message.MessageId,
  receiptHandle: message.ReceiptHandle,
  body: message.Body,
  attributes: message.Attributes ?? {},
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { StringValue, BinaryValue, DataType }]) => [
      name,
      {
        dataType: DataType,
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
        stringListValues: [],
        binaryListValues: [],
      },
    ]),
  ),
  md5OfBody: message.MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: mapping.sourceArn,
  awsRegion: region,
});

/** Filters match against the parsed body if it is JSON. */
const withParsedBody = (record: ReturnType<typeof recordOf> | undefined): unknown => {
  try {
    return { ...record, body: JSON.parse(record?.body ?? '') };
  } catch {
    return record;
  }
};

/**
 * Feeds a function from a queue, as Lambda does: messages of a batch that succeeded are deleted, the others come back
 * after their visibility timeout and end in the dead-letter queue by the queue's own redrive policy. Once the function has
 * answered, nobody works on them: what is left of the timeout is a delay, and runs as fast as delays do.
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
import { filterOf } from './filter-criteria.ts';
import { failedOf, type Mapping, type Outside, type Poller } from './mapping.ts';

/** Batches under way at once, whatever the template allows: the host has no more instances of a function than this. */
const batchesAtOnceMax = 8;
/** SQS hands out at most this many messages a call. */
const receiveMax = 10;
/** Long polling: an idle queue costs one call in this time. */
const waitSeconds = 20;

export interface FedQueue {
  readonly url: string;
  readonly visibilityTimeoutSeconds: number;
}

export const startQueuePoller = (mapping: Mapping, queue: FedQueue, outside: Outside): Poller => {
  const sqs = new SQSClient({
    endpoint: outside.endpoint,
    region: outside.region,
    credentials: { accessKeyId: outside.accessKeyId, secretAccessKey: 'local' },
  });
  /** That a delay is shorter here is the stage's doing, not the function's: Lambda changes no visibility. */
  const stageSqs = new SQSClient({
    endpoint: outside.endpoint,
    region: outside.region,
    credentials: { accessKeyId: rootAccessKeyId, secretAccessKey: 'local' },
  });
  const batchesAtOnce = Math.min(mapping.concurrencyMax ?? batchesAtOnceMax, batchesAtOnceMax);
  const passes = filterOf(mapping.filterCriteria);
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
    const entries = messages.map(({ ReceiptHandle }, n) => ({
      Id: String(n),
      ReceiptHandle,
      VisibilityTimeout: leftSeconds,
    }));
    await stageSqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queue.url, Entries: entries }));
  };

  const feed = async (messages: readonly Message[]): Promise<void> => {
    const sinceMs = Date.now();
    const records = messages.map((message) => recordOf(message, mapping, outside.region));
    const wanted = messages.filter((_, n) => passes(withParsedBody(records[n])));
    const done = new Set(messages.filter((message) => !wanted.includes(message)));
    if (wanted.length > 0) {
      try {
        const result = await outside.invoke(mapping.functionName, {
          Records: records.filter((_, n) => wanted.includes(messages[n] as Message)),
        });
        const failed = failedOf(mapping, result, wanted.map(idOf));
        for (const message of wanted) if (!failed.has(idOf(message))) done.add(message);
      } catch {
        // The function failed: the whole batch comes back.
      }
    }
    await remove([...done]);
    await putBack(
      messages.filter((message) => !done.has(message)),
      sinceMs,
    );
  };

  const loop = async (): Promise<void> => {
    // Lambda looks at the queue before it feeds from it, and asks of the role that it may.
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
    if (!stopping.signal.aborted)
      outside.warn(`${mapping.functionName} cannot be fed from its queue: ${(error as Error).message}`);
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

/** Filters see a body that is JSON as its content. */
const withParsedBody = (record: ReturnType<typeof recordOf> | undefined): unknown => {
  try {
    return { ...record, body: JSON.parse(record?.body ?? '') };
  } catch {
    return record;
  }
};

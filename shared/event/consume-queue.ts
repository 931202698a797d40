import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { idsIn } from '../contract/ids.ts';
import { addLogContext, type BatchAnswer, batchHandler, type LambdaHandler, log, withLogContext } from '../platform/index.ts';
import { readTask, type TaskMessage } from './tasks.ts';
import { inWorkSlot, type Priority, type PriorityOf } from './work-slots.ts';

interface QueueOptions {
  readonly dropsUnknown?: boolean;
  /** Asked before a worker of a small account takes a slot. */
  readonly priorityOf?: (message: TaskMessage) => Promise<Priority>;
}

/**
 * Runs `work` for every message of a batch, concurrently. A failed message is redelivered alone. A task of an unknown kind is
 * dropped with a log line, unless `dropsUnknown` is false: then it fails.
 */
export const consumeQueue = (
  work: (message: TaskMessage, queueName: string) => Promise<void>,
  { dropsUnknown = true, priorityOf }: QueueOptions = {},
): LambdaHandler<SQSEvent, BatchAnswer> => {
  const perform = async ({ body, eventSourceARN = '' }: SQSRecord): Promise<void> => {
    try {
      const message = readTask(body);
      if (message) addLogContext({ ...idsIn(message.task), organizationId: message.organizationId, taskId: message.id });
      if (message) await work(message, eventSourceARN.slice(eventSourceARN.lastIndexOf(':') + 1));
      else if (!dropsUnknown) throw new Error('unknown task kind');
      else log.warn('task dropped: unknown kind');
    } catch (error) {
      log.error('task failed', { error });
      throw error;
    }
  };
  return queueHandler(
    async (records, finished) => {
      // Messages of a batch belong to different tenants, so each has a log context of its own.
      const performApart = async (record: SQSRecord): Promise<void> => {
        await withLogContext({ messageId: record.messageId }, () => perform(record));
        finished.add(record.messageId);
      };
      const processor = new BatchProcessor(EventType.SQS);
      await processPartialResponse({ Records: [...records] }, performApart, processor, { throwOnFullBatchFailure: false });
    },
    priorityOf && (async ({ body }) => priorityIn(body, priorityOf)),
  );
};

/** A message that cannot be read fails when it is performed. */
const priorityIn = async (body: string, priorityOf: NonNullable<QueueOptions['priorityOf']>): Promise<Priority> => {
  let message: TaskMessage | undefined;
  try {
    message = readTask(body);
  } catch {
    return 'usual';
  }
  return message ? priorityOf(message) : 'usual';
};

/** The handler of every queue. `work` adds the id of each finished message to `finished`; the others are delivered again. */
export const queueHandler = (
  work: (records: readonly SQSRecord[], finished: Set<string>) => Promise<void>,
  priorityOf?: PriorityOf,
): LambdaHandler<SQSEvent, BatchAnswer> =>
  batchHandler<SQSEvent>(
    (record) => (record as SQSRecord).messageId,
    ({ Records }, finished) => inWorkSlot(Records, { finished, work: (records) => work(records, finished), priorityOf }),
  );

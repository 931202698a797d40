import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { idsIn } from '../contract/ids.ts';
import {
  addLogContext,
  type BatchAnswer,
  batchHandler,
  type Ids,
  type LambdaHandler,
  log,
  withLogContext,
} from '../platform/index.ts';
import { readTask, type TaskMessage } from './tasks.ts';

/**
 * Runs `work` for every message of a batch, concurrently. A message that fails is delivered again, alone. A message of an unknown
 * kind is dropped with a log line, or fails where the consumer would know every kind.
 */
export const consumeQueue = (
  work: (message: TaskMessage, queueName: string) => Promise<void>,
  { dropsUnknown = true }: { readonly dropsUnknown?: boolean } = {},
): LambdaHandler<SQSEvent, BatchAnswer> => {
  const perform = async ({ body, eventSourceARN = '' }: SQSRecord): Promise<void> => {
    try {
      const message = readTask(body);
      addLogContext(idsOf(message));
      if (message) await work(message, eventSourceARN.slice(eventSourceARN.lastIndexOf(':') + 1));
      else if (!dropsUnknown) throw new Error('a message of a kind that is not known');
      else log.warn('a task of a kind this version does not know was dropped');
    } catch (error) {
      log.error('the task failed', { error });
      throw error;
    }
  };
  return batchHandler<SQSEvent>(
    (record) => (record as SQSRecord).messageId,
    async (event, finished) => {
      // Messages of a batch belong to different tenants, so each has a log context of its own.
      const performApart = async (record: SQSRecord): Promise<void> => {
        await withLogContext({ messageId: record.messageId }, () => perform(record));
        finished.add(record.messageId);
      };
      const processor = new BatchProcessor(EventType.SQS);
      await processPartialResponse(event, performApart, processor, { throwOnFullBatchFailure: false });
    },
  );
};

/** What a message names: itself, its tenant, and what is to be done to what. */
const idsOf = (message: TaskMessage | undefined): Ids =>
  message ? { ...idsIn(message.task), organizationId: message.organizationId, taskId: message.id } : {};

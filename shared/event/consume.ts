import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { idsIn } from '../contract/id.ts';
import { addIds, type Ids, log, logged, withIds } from '../platform/index.ts';
import { readTask, type TaskMessage } from './task.ts';

/**
 * Works off what a queue gives, all of a batch side by side. A message that fails is given again, alone; one of a kind that is
 * not known is dropped, with a word, or fails where whoever listens would know every kind.
 */
export const consume = (
  work: (message: TaskMessage, queueName: string) => Promise<void>,
  { dropsUnknown = true }: { readonly dropsUnknown?: boolean } = {},
): ((event: SQSEvent) => Promise<SQSBatchResponse>) => {
  const processor = new BatchProcessor(EventType.SQS);
  const perform = async ({ body, eventSourceARN = '' }: SQSRecord): Promise<void> => {
    try {
      const message = readTask(body);
      addIds(idsOf(message));
      if (message) await work(message, eventSourceARN.slice(eventSourceARN.lastIndexOf(':') + 1));
      else if (!dropsUnknown) throw new Error('a message of a kind that is not known');
      else log.warn('a task of a kind this version does not know was dropped');
    } catch (error) {
      log.error('the task failed', { error });
      throw error;
    }
  };
  // Messages of a batch are of different tenants, and are worked on at once.
  const apart = (record: SQSRecord): Promise<void> => withIds({ messageId: record.messageId }, () => perform(record));
  return logged((event) => processPartialResponse(event, apart, processor, { throwOnFullBatchFailure: false }));
};

/** What a message names: itself, its tenant, and what is to be done to what. */
const idsOf = (message: TaskMessage | undefined): Ids =>
  message ? { ...idsIn(message.task), organizationId: message.organizationId, taskId: message.id } : {};

import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { type BatchAnswer, batchHandler, type LambdaHandler } from '../platform/index.ts';
import { inWorkSlot, type PriorityOf } from './work-slots.ts';

/** The handler of every queue. `work` adds the id of each finished message to `finished`; the others are delivered again. */
export const queueHandler = (
  work: (records: readonly SQSRecord[], finished: Set<string>) => Promise<void>,
  priorityOf?: PriorityOf,
): LambdaHandler<SQSEvent, BatchAnswer> =>
  batchHandler<SQSEvent>(
    (record) => (record as SQSRecord).messageId,
    ({ Records }, finished) => inWorkSlot(Records, finished, (records) => work(records, finished), priorityOf),
  );

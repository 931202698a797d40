/** Hands the tasks that leave the table to the task queue. A record the queue did not take is given again, and only from there on. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { log, sendTasks } from '../../shared/platform/index.ts';

export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const tasks = Records.flatMap(({ dynamodb }) => {
    const message = dynamodb?.NewImage?.message?.S;
    // Nothing a retry could mend, and it would hold up everything behind it.
    if (message === undefined) log.error('a task without a message was dropped', { key: dynamodb?.Keys?.sk?.S });
    return message === undefined ? [] : [{ message, itemIdentifier: dynamodb?.SequenceNumber ?? '' }];
  });
  const refused = await sendTasks(tasks.map(({ message }) => message));
  if (refused.size > 0) log.warn('the queue did not take every task', { refused: refused.size, of: tasks.length });
  return { batchItemFailures: tasks.flatMap(({ itemIdentifier }, n) => (refused.has(n) ? [{ itemIdentifier }] : [])) };
};

export { consumeQueue, queueHandler } from './consume-queue.ts';
export { emit, enqueue, enqueueForUser, eventKey, eventPrefix, withRequestId } from './outbox.ts';
export { queueVariableOf, queueVariables, sendTask, taskMessage } from './send-task.ts';
export { readTask, Task, TaskMessage } from './tasks.ts';
export type { Priority } from './work-slots.ts';

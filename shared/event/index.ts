export { consumeQueue } from './consume-queue.ts';
export { emit, enqueue, eventKey, eventPrefix, withRequestId } from './outbox.ts';
export { queueVariableOf, queueVariables, type SendOptions, senderOf, sendTask, taskMessage } from './send-task.ts';
export { type Queue, queueOf, readTask, Task, TaskMessage } from './tasks.ts';

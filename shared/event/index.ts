export { emit, enqueue, eventKey, eventPrefix, withRequestId } from './outbox.ts';
export { consume } from './queue-consumer.ts';
export { type Queue, queueOf, readTask, Task, TaskMessage } from './tasks.ts';

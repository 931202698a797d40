export { consume } from './consume.ts';
export { emit, enqueue, eventKey, eventPrefix, ofRequest } from './outbox.ts';
export { type Queue, queueOf, readTask, Task, TaskMessage } from './task.ts';

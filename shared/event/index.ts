export { consume } from './consume.ts';
export { emit, enqueue, eventPrefix, ofRequest, taskPrefix } from './outbox.ts';
export { queueOf, readTask, Task, TaskMessage } from './task.ts';

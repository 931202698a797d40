export { emit, enqueue, eventPrefix, ofRequest, taskPrefix } from './outbox.ts';
export { Task, TaskMessage } from './task.ts';

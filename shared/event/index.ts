export { emit, enqueue, eventPrefix, type Task, taskPrefix } from './outbox.ts';

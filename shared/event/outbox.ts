/**
 * The transactional outbox: events for subscribers and tasks for our own workers. Both are items of the transaction that makes
 * the change and are forwarded by the table's stream: no change without its event, no event without its change.
 */
import type { EventData, events } from '../contract/events/event-catalogue.ts';
import type { EventName } from '../contract/events/event-names.ts';
import { eventKeptSeconds } from '../contract/limits.ts';
import { after, epochSeconds, iso, type Key, newId, type Tenant, type Write } from '../platform/index.ts';
import { queueOf } from './task-queues.ts';
import type { PersonTask, Task, TaskMessage } from './tasks.ts';

export const eventPrefix = 'EVENT#';
const taskPrefix = 'TASK#';

export const eventKey = ({ organizationId }: Tenant, eventId: string): Key => ({
  pk: `ORG#${organizationId}`,
  sk: `${eventPrefix}${eventId}`,
});

/** Emits an event, one of `schemas`. Its id sorts by time. It is kept for 30 days, so that it can be replayed. */
export const emit = <N extends EventName>(
  tenant: Tenant,
  {
    schemas,
    name,
    data,
    now,
  }: { readonly schemas: Pick<typeof events, NoInfer<N>>; readonly name: N; readonly data: EventData<N>; readonly now: Date },
): Write => {
  const id = newId('event', now);
  return {
    put: {
      ...eventKey(tenant, id),
      id,
      type: name,
      timestamp: iso(now),
      data: schemas[name].parse(data),
      ttl: epochSeconds(after(now, eventKeptSeconds)),
    },
  };
};

const taskKeptSeconds = 7 * 24 * 3_600;

/**
 * Enqueues a task. The stream forwards it to its queue, which retries it until it succeeds or is dead-lettered. The item holds the
 * queue's name and the message as text, so that the fan-out need not understand it.
 */
export const enqueue = ({ organizationId }: Tenant, task: Task, now: Date): Write =>
  outboxTask(`ORG#${organizationId}`, { organizationId, task }, now);

/** Enqueues a task that belongs to a person and to no organization. */
export const enqueueForUser = (userId: string, task: Omit<PersonTask, 'userId'>, now: Date): Write =>
  outboxTask(`USER#${userId}`, { organizationId: 'none', task: { ...task, userId } }, now);

const outboxTask = (pk: string, { organizationId, task }: Omit<TaskMessage, 'id'>, now: Date): Write => {
  const id = newId('task', now);
  return {
    put: {
      pk,
      sk: `${taskPrefix}${id}`,
      queue: queueOf(task),
      message: inAscii({ id, organizationId, task } satisfies TaskMessage),
      ttl: epochSeconds(after(now, taskKeptSeconds)),
    },
  };
};

/**
 * JSON with all but printable ASCII escaped. SQS rejects some characters that a name may contain, such as U+FFFF. A rejected
 * message would block the stream behind it, for all tenants.
 */
const inAscii = (message: TaskMessage): string =>
  JSON.stringify(message).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Adds the id of the request to its events and tasks, for tracing. */
export const withRequestId =
  (requestId: string) =>
  (write: Write): Write =>
    'put' in write && [eventPrefix, taskPrefix].some((prefix) => write.put.sk.startsWith(prefix))
      ? { ...write, put: { ...write.put, requestId } }
      : write;

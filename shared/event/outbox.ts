/**
 * What leaves a transaction: events for subscribers and tasks for ourselves.
 * Both are items of the transaction that made the change, and leave through the table's stream:
 * no change without its event, no event without its change.
 */

import { type EventData, events } from '../contract/events/event-catalogue.ts';
import type { EventName } from '../contract/events/event-names.ts';
import { eventKeptSeconds } from '../contract/limits.ts';
import { after, epochSeconds, iso, type Key, newId, type Tenant, type Write } from '../platform/index.ts';
import { queueOf, type Task, type TaskMessage } from './tasks.ts';

export const eventPrefix = 'EVENT#';
const taskPrefix = 'TASK#';

/** Where an event lies for as long as it is kept. */
export const eventKey = ({ organizationId }: Tenant, eventId: string): Key => ({
  pk: `ORG#${organizationId}`,
  sk: `${eventPrefix}${eventId}`,
});

/** An event is an item whose id sorts by time. It is kept 30 days, so that it can be replayed. */
export const emit = <N extends EventName>(tenant: Tenant, name: N, data: EventData<N>, now: Date): Write => {
  const id = newId('event', now);
  return {
    put: {
      ...eventKey(tenant, id),
      id,
      type: name,
      timestamp: iso(now),
      data: events[name].parse(data),
      ttl: epochSeconds(after(now, eventKeptSeconds)),
    },
  };
};

const taskKeptSeconds = 7 * 24 * 3_600;

/**
 * The stream hands the task to the queue, which tries until it is done or dead-lettered.
 * The item names the queue and holds its message as text, so that the stream's consumer passes it on without understanding it.
 */
export const enqueue = (tenant: Tenant, task: Task, now: Date): Write => {
  const id = newId('task', now);
  return {
    put: {
      pk: `ORG#${tenant.organizationId}`,
      sk: `${taskPrefix}${id}`,
      queue: queueOf(task),
      message: inAscii({ id, organizationId: tenant.organizationId, task } satisfies TaskMessage),
      ttl: epochSeconds(after(now, taskKeptSeconds)),
    },
  };
};

/**
 * JSON with everything but plain characters escaped. SQS refuses some that a name may hold (U+FFFF, say), each time anew, and
 * whatever waits behind the message in the stream, of whichever tenant, would wait with it.
 */
const inAscii = (message: TaskMessage): string =>
  JSON.stringify(message).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Marks events and tasks with the request they come from, so that they can be followed back to it. */
export const withRequestId =
  (requestId: string) =>
  (write: Write): Write =>
    'put' in write && [eventPrefix, taskPrefix].some((prefix) => write.put.sk.startsWith(prefix))
      ? { ...write, put: { ...write.put, requestId } }
      : write;

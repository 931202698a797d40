/**
 * What leaves a transaction: events for subscribers and tasks for ourselves.
 * Both are items of the transaction that made the change, and leave through the table's stream:
 * no change without its event, no event without its change.
 */
import { type EventData, type EventName, events } from '../contract/events.ts';
import { eventKeptSeconds } from '../contract/limits.ts';
import { after, epochSeconds, iso, newId, type Tenant, type Write } from '../platform/index.ts';

export const eventPrefix = 'EVENT#';
export const taskPrefix = 'TASK#';

/** An event is an item whose id sorts by time. It is kept 30 days, so that it can be replayed. */
export const emit = <N extends EventName>(tenant: Tenant, name: N, data: EventData<N>, now: Date): Write => {
  const id = newId('event', now);
  return {
    put: {
      pk: `ORG#${tenant.organizationId}`,
      sk: `${eventPrefix}${id}`,
      id,
      type: name,
      timestamp: iso(now),
      data: events[name].parse(data),
      ttl: epochSeconds(after(now, eventKeptSeconds)),
    },
  };
};

/** Work that must follow a change: the stream hands it to the task queue, which tries until it is done or dead-lettered. */
export type Task =
  | { readonly kind: 'send-invitation'; readonly invitationId: string }
  | { readonly kind: 'purge-organization'; readonly deleteBackupData: boolean };

const taskKeptSeconds = 7 * 24 * 3_600;

export const enqueue = (tenant: Tenant, task: Task, now: Date): Write => {
  const id = newId('task', now);
  return {
    put: {
      pk: `ORG#${tenant.organizationId}`,
      sk: `${taskPrefix}${id}`,
      id,
      organizationId: tenant.organizationId,
      task,
      ttl: epochSeconds(after(now, taskKeptSeconds)),
    },
  };
};

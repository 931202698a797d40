/** A schedule whose project has a job waits for it. */
import type { TaskMessage } from '../../event/index.ts';
import { commit, iso, newId, type QueueMessage, StaleReadError, sendMessages, set } from '../../platform/index.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import type { Told } from './decide-tick.ts';

/** Most backups take some minutes. */
const againSeconds = 60;

/**
 * Has the tick brought again. It is sent before it is written down: whoever dies in between leaves two messages, and the one that
 * was put off less often ends by itself.
 */
export const postponeTick = async (
  place: ActiveScheduleContext,
  { at, tries }: Told,
  message: string,
  now: Date,
  send: typeof sendTicks = sendTicks,
): Promise<void> => {
  const { tenant, schedule } = place;
  const { pk, sk, id: scheduleId, revision, nextRunAt } = schedule;
  const next = tries + 1;
  await send([{ ...tickOf(tenant.organizationId, scheduleId, iso(at), next, now), delaySeconds: againSeconds }]);
  await commit([
    set(
      { pk, sk },
      { putOff: { at: iso(at), tries: next, since: iso(now), message } },
      { expected: { revision, nextRunAt }, onConditionFailed: () => new StaleReadError() },
    ),
  ]);
};

export const tickOf = (organizationId: string, scheduleId: string, at: string, tries: number, now: Date): QueueMessage => {
  const task = { kind: 'run-schedule', scheduleId, at, ...(tries > 0 && { tries }) } as const;
  const message: TaskMessage = { id: newId('task', now), organizationId, task };
  return { body: JSON.stringify(message), sender: organizationId };
};

/** Throws unless the queue took them all. */
export const sendTicks = async (messages: readonly QueueMessage[]): Promise<void> => {
  const refused = await sendMessages('SCHEDULE_QUEUE_URL', messages);
  if (refused.size > 0) throw new Error(`the queue did not take ${refused.size} of ${messages.length} ticks`);
};

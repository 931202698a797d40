/** Postpones a tick while the project has a running job. */
import { sendTask, type Task } from '../../event/index.ts';
import { commit, iso, StaleReadError, set } from '../../platform/index.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import type { Tick } from './decide-tick.ts';

/** Most backups take some minutes. */
const retrySeconds = 60;

/**
 * Sends the tick again, then records it. A crash in between leaves two messages; the one that was postponed less often is ignored.
 */
export const postponeTick = async (
  { tenant, schedule }: ActiveScheduleContext,
  { at, tries }: Tick,
  message: string,
  now: Date,
  send: typeof sendTask = sendTask,
): Promise<void> => {
  const { pk, sk, id, revision, nextRunAt } = schedule;
  const next = { at: iso(at), tries: tries + 1 };
  await send(tenant, tickTask(id, next.at, next.tries), { delaySeconds: retrySeconds, now });
  await commit([
    set(
      { pk, sk },
      { putOff: { ...next, since: iso(now), message } },
      { expected: { revision, nextRunAt }, onConditionFailed: () => new StaleReadError() },
    ),
  ]);
};

export const tickTask = (scheduleId: string, at: string, tries: number): Task => ({
  kind: 'run-schedule',
  scheduleId,
  at,
  ...(tries > 0 && { tries }),
});

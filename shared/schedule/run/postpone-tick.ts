/** Postpones a tick while the project has a running job, or the organization no capacity. */
import { sendTask } from '../../event/index.ts';
import { commit, iso } from '../../platform/index.ts';
import { putOffOf, type Tick } from '../../recurring/index.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { scheduleKind, scheduleWrites } from '../model/schedule-kind.ts';

/** Most backups take some minutes. */
const retrySeconds = 60;

interface Obstacle {
  readonly message: string;
  /** There is no capacity for the run; otherwise its project has a job. */
  readonly isCapacity: boolean;
}

/**
 * Sends the tick again, then records it. A crash in between leaves two messages; the one that was postponed less often is ignored.
 */
export const postponeTick = async (
  { tenant, schedule }: ActiveScheduleContext,
  { at, tries }: Tick,
  { message, isCapacity, now, send = sendTask }: Obstacle & { readonly now: Date; readonly send?: typeof sendTask },
): Promise<void> => {
  const next = { at: iso(at), tries: tries + 1 };
  await send(tenant, { ...scheduleKind.runTask(schedule.id), ...next }, { delaySeconds: retrySeconds, now });
  const { waitingSince = isCapacity ? iso(now) : undefined, grantedAt = iso(now) } = putOffOf(schedule) ?? {};
  const waited = waitingSince !== undefined && { waitingSince, ...(!isCapacity && { grantedAt }) };
  await commit(scheduleWrites.set(tenant, schedule, { putOff: { ...next, since: iso(now), message, ...waited } }));
};

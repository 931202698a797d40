/** Does what is due of schedules: a tick starts a backup; a change is carried over to the Scheduler; a long chain gets a full backup. */
import { startSyntheticFull } from '../../shared/backup/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { consumeQueue, type TaskMessage } from '../../shared/event/index.ts';
import { after, clock, log, unsafeTenant } from '../../shared/platform/index.ts';
import { recordOutcome, syncSchedule, syncSchedules, tick } from '../../shared/schedule/index.ts';

/** A third of the function's time: the schedule begun then ends well before it does. */
const walkSeconds = workers.scheduleRun.timeoutSeconds / 3;

const run = async ({ id, organizationId, task }: TaskMessage): Promise<void> => {
  log.info('doing what is due of schedules', { id, organizationId, kind: task.kind });
  const tenant = unsafeTenant(organizationId, 'record');
  switch (task.kind) {
    case 'run-schedule':
      return tick(tenant, task.scheduleId, { at: new Date(task.at), tries: task.tries ?? 0 });
    case 'sync-schedule':
      return syncSchedule(tenant, task.scheduleId);
    case 'sync-schedules':
      return syncSchedules(tenant, task, after(clock.now(), walkSeconds));
    case 'schedule-outcome':
      return recordOutcome(tenant, task.scheduleId, task.backupId);
    case 'synthesize-full':
      return startSyntheticFull(tenant, task.backupId, clock.now());
    default:
      throw new Error(`${task.kind} is nothing of schedules, and came by the wrong queue`);
  }
};

export const handler = consumeQueue(run);

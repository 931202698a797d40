/** Worker of the schedule queue: ticks, syncs of Scheduler entries, outcomes of backups, and synthetic full backups. */
import { startSyntheticFull } from '../../shared/backup/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { consumeQueue, type TaskMessage } from '../../shared/event/index.ts';
import { after, clock, log, unsafeTenant } from '../../shared/platform/index.ts';
import { syncAllRestoreTests, syncRestoreTest, tickRestoreTest } from '../../shared/restore-test/index.ts';
import { recordOutcome, syncAllSchedules, syncSchedule, tick } from '../../shared/schedule/index.ts';

/** A third of the timeout, so that the last schedule begun ends in time. */
const walkSeconds = workers.scheduleRun.timeoutSeconds / 3;

const run = async ({ id, organizationId, task }: TaskMessage): Promise<void> => {
  log.info('schedule task started', { id, organizationId, kind: task.kind });
  const tenant = unsafeTenant(organizationId, 'record');
  switch (task.kind) {
    case 'run-schedule':
      return tick(tenant, { scheduleId: task.scheduleId, at: new Date(task.at), tries: task.tries ?? 0 });
    case 'sync-schedule':
      return syncSchedule(tenant, task.scheduleId);
    case 'sync-schedules':
      await syncAllSchedules(tenant, { task, until: after(clock.now(), walkSeconds) });
      return syncAllRestoreTests(tenant, { projectId: task.projectId, isDeleted: task.deletedProjectName !== undefined });
    case 'run-restore-test':
      return tickRestoreTest(tenant, { restoreTestId: task.restoreTestId, at: new Date(task.at) });
    case 'sync-restore-test':
      return syncRestoreTest(tenant, task.restoreTestId);
    case 'schedule-outcome':
      return recordOutcome(tenant, { scheduleId: task.scheduleId, backupId: task.backupId });
    case 'synthesize-full':
      return startSyntheticFull(tenant, { backupId: task.backupId, now: clock.now() });
    default:
      throw new Error(`unexpected task "${task.kind}" on the schedule queue`);
  }
};

export const handler = consumeQueue(run);

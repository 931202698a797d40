export { createSchedule } from './api/create-schedule.ts';
export { deleteSchedule } from './api/delete-schedule.ts';
export { checkScheduleInput, retentionOf, type ScheduleInput } from './api/schedule-input.ts';
export { type ScheduleChange, updateSchedule } from './api/update-schedule.ts';
export { entriesOf, nextRun, parseCron, previousRun } from './cron/next-run.ts';
export { moveSchedule, schedulesOfProject } from './lifecycle/move-schedule.ts';
export { purgeSchedules } from './lifecycle/purge-schedules.ts';
export { dueWrites } from './model/due-writes.ts';
export {
  listSchedules,
  noSuchSchedule,
  projectOf,
  readSchedule,
  type ScheduleFilter,
  scheduleUsing,
} from './model/get-schedule.ts';
export { type DueRecord, duePartition, type ScheduleRecord, scheduleKey, schedulePrefix } from './model/record.ts';
export type { ActiveScheduleContext } from './model/schedule-context.ts';
export { countSchedule, uncountSchedules } from './model/schedule-limit.ts';
export { scheduleData, scheduleEvent } from './model/schedule-view.ts';
export { recordOutcome } from './run/record-outcome.ts';
export { watchSchedules } from './run/schedule-watchdog.ts';
export { type ScheduledStart, startScheduledBackup } from './run/start-scheduled-backup.ts';
export { tick } from './run/tick.ts';
export { syncAllSchedules } from './sync/sync-all-schedules.ts';
export { syncSchedule } from './sync/sync-schedule.ts';

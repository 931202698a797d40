export { createSchedule } from './api/create-schedule.ts';
export { deleteSchedule } from './api/delete-schedule.ts';
export { checkScheduleInput, retentionOf } from './api/schedule-input.ts';
export { updateSchedule } from './api/update-schedule.ts';

export { moveSchedule } from './lifecycle/move-schedule.ts';
export { purgeSchedules } from './lifecycle/purge-schedules.ts';

export { listSchedules, noSuchSchedule, projectOf, readSchedule, schedulesOf, scheduleUsing } from './model/get-schedule.ts';
export { type ScheduleRecord, scheduleKey, schedulePrefix } from './model/record.ts';

export { scheduleData } from './model/schedule-view.ts';
export { recordOutcome } from './run/record-outcome.ts';
export { startScheduledBackup } from './run/start-scheduled-backup.ts';
export { tick } from './run/tick.ts';
export { watchSchedules } from './run/watch-schedules.ts';
export { syncAllSchedules } from './sync/sync-all-schedules.ts';
export { syncSchedule } from './sync/sync-schedule.ts';

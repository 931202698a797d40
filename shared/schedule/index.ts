export { scheduleData, scheduleEvent } from './data.ts';
export { dueWrites } from './due.ts';
export { type DueRecord, duePartition, type ScheduleRecord, scheduleKey, schedulePrefix } from './record.ts';
export { type ScheduledStart, type SchedulePlace, startScheduled } from './starting.ts';

export { type DueRecord, duePartition, type ScheduleRecord, scheduleKey, schedulePrefix } from './record.ts';

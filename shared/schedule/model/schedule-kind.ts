import { type RecurringKind, recurringWrites } from '../../recurring/index.ts';
import { type ScheduleRecord, scheduleKey } from './record.ts';

export const scheduleKind: RecurringKind<ScheduleRecord> = {
  idName: 'scheduleId',
  duePartition: 'DUE#SCHEDULE',
  key: scheduleKey.schedule,
  runTask: (scheduleId) => ({ kind: 'run-schedule', scheduleId }),
  syncTask: (scheduleId) => ({ kind: 'sync-schedule', scheduleId }),
};

export const scheduleWrites = recurringWrites(scheduleKind);

/** Schedules for people. */
import type { DataOf } from '../../../shared/client/index.ts';
import { formatTime } from './format.ts';
import type { Detail } from './output.ts';
import { statusStyle } from './status-style.ts';

type Schedule = DataOf<'GET /schedules/{scheduleId}'>;

export const stateOf = ({ enabled, failing }: Schedule): string => (failing ? 'failed' : enabled ? 'enabled' : 'paused');

export const scheduleDetails = (schedule: Schedule): readonly Detail[] => {
  const { retentionPolicy: policy, failing, lastOutcome, warning } = schedule;
  return [
    ['Schedule', schedule.id],
    ['Name', schedule.name],
    ['Project', schedule.projectId],
    ['Status', stateOf(schedule), statusStyle(stateOf(schedule))],
    ['Failing', failing && `${failing.message} (${failing.code}), since ${formatTime(failing.since)}`, 'red'],
    ['Warning', warning?.message, 'yellow'],
    ['Cron', `${schedule.cron} (${schedule.timezone})`],
    ['Next run', formatTime(schedule.nextRunAt)],
    [
      'Last run',
      lastOutcome && `${lastOutcome.status}, ${formatTime(lastOutcome.at)}`,
      lastOutcome ? statusStyle(lastOutcome.status) : undefined,
    ],
    ['Last success', formatTime(schedule.lastSuccessAt)],
    ['Last backup', schedule.lastBackupId],
    ['Type', schedule.type],
    ['Collections', schedule.collections.join(', ')],
    ['Excluded', schedule.excludeCollections.join(', ')],
    ['Storage', schedule.storageDestinationId ?? 'that of the project'],
    ['Retention', schedule.retention === null ? null : `${schedule.retention} days`],
    ['Keeps', policy && `${policy.daily} daily, ${policy.weekly} weekly, ${policy.monthly} monthly, ${policy.yearly} yearly`],
  ];
};

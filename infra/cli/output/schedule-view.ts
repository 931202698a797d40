/** Schedules for people. */
import type { DataOf } from '../../../shared/client/index.ts';
import { formatTime } from './format.ts';
import type { Detail } from './output.ts';
import { statusStyle } from './status-style.ts';

type Schedule = DataOf<'GET /schedules/{scheduleId}'>;

/** A run that waits is good news even after a failure: a backup follows. */
export const stateOf = ({ enabled, failing, waitingFor }: Schedule): string =>
  waitingFor ? 'waiting' : failing ? 'failed' : enabled ? 'enabled' : 'paused';

export const scheduleDetails = (schedule: Schedule & { readonly captureOffer?: string }): readonly Detail[] => {
  const { retentionPolicy: policy, failing, lastOutcome, warning, waitingFor } = schedule;
  return [
    ['Schedule', schedule.id],
    ['Name', schedule.name],
    ['Project', schedule.projectId],
    ['Status', stateOf(schedule), statusStyle(stateOf(schedule))],
    ['Failing', failing && `${failing.message} (${failing.code}), since ${formatTime(failing.since)}`, 'red'],
    [
      'Waiting for',
      waitingFor && `${waitingFor.reason} since ${formatTime(waitingFor.since)}, number ${waitingFor.position} in the queue`,
      'yellow',
    ],
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
    ['Source', schedule.source === 'read' ? 'always read, also where changes are captured' : null],
    ['Collections', schedule.collections.join(', ')],
    ['Excluded', schedule.excludeCollections.join(', ')],
    ['Storage', schedule.storageDestinationId ?? 'that of the project'],
    ['Cheaper', schedule.captureOffer, 'yellow'],
    ['Retention', schedule.retention === null ? null : `${schedule.retention} days`],
    ['Keeps', policy && `${policy.daily} daily, ${policy.weekly} weekly, ${policy.monthly} monthly, ${policy.yearly} yearly`],
  ];
};

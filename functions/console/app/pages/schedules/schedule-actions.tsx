import { useNavigate } from '@tanstack/react-router';
import { type Schedule, useDeleteSchedule, useSwitchSchedule, useTriggerSchedule } from '../../data/schedules.ts';
import { RecurringActions } from '../../parts/recurring-actions.tsx';
import { paths } from '../../paths.ts';

interface ScheduleActionsProps {
  readonly schedule: Schedule;
  readonly isSmall?: boolean;
}

export const ScheduleActions = ({ schedule, isSmall = false }: ScheduleActionsProps) => {
  const trigger = useTriggerSchedule(schedule);
  const navigate = useNavigate();
  const run = (): void => trigger.mutate(undefined, { onSuccess: ({ id }) => void navigate({ to: paths.backup(id) }) });
  return (
    <RecurringActions
      item={schedule}
      what="schedule"
      isSmall={isSmall}
      start={{ isPending: trigger.isPending, run }}
      toggle={useSwitchSchedule(schedule)}
      remove={useDeleteSchedule(schedule)}
      editTo={paths.schedule(schedule.id, 'edit')}
      listTo={paths.schedules}
      consequence={
        <p>
          It runs no more. Its backups are kept, by the retention they were made with. To stop it for a while, pause it instead.
        </p>
      }
    />
  );
};

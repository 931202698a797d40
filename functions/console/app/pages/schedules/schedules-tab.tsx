import { usePermission } from '../../api/permission.ts';
import { useSchedules } from '../../data/schedules.ts';
import { paths } from '../../paths.ts';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { useParam } from '../../use-param.ts';
import { ScheduleList } from './schedule-list.tsx';

/** The schedules of one project, as a tab of its page. */
export const SchedulesTab = () => {
  const projectId = useParam('projectId');
  const list = useSchedules(projectId);
  const { reason } = usePermission('member');
  const create = (
    <ButtonLink variant="primary" icon="plus" to={`${paths.newSchedule}?projectId=${projectId}`} disabledReason={reason}>
      New schedule
    </ButtonLink>
  );
  return (
    <div className="stack">
      {list.items && list.items.length > 0 && <div className="row">{create}</div>}
      <ScheduleList label="Schedules of this project" list={list} create={create} />
    </div>
  );
};

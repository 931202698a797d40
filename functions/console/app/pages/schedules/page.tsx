import { usePermission } from '../../api/permission.ts';
import { useProjects } from '../../data/projects.ts';
import { useSchedules } from '../../data/schedules.ts';
import { paths } from '../../paths.ts';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { ScheduleList } from './schedule-list.tsx';

export const SchedulesPage = () => {
  const list = useSchedules();
  const { items: projects } = useProjects();
  const { reason } = usePermission('member');
  const noProject = projects?.length === 0 ? 'Connect a project first' : undefined;
  const create = (
    <ButtonLink variant="primary" icon="plus" to={paths.newSchedule} disabledReason={reason ?? noProject}>
      New schedule
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title="Schedules" description="When backups run by themselves, and how long they are kept." actions={create} />
      <ScheduleList
        label="Schedules"
        list={list}
        projectNames={new Map(projects?.map(({ id, name }) => [id, name]))}
        create={
          noProject ? (
            <ButtonLink variant="primary" to={paths.connectProject} disabledReason={reason}>
              Connect a project
            </ButtonLink>
          ) : (
            create
          )
        }
      />
    </>
  );
};

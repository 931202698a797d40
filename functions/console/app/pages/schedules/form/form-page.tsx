import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePermission } from '../../../api/permission.ts';
import { useOrganization } from '../../../data/organization.ts';
import type { Project } from '../../../data/projects.ts';
import { useCreateSchedule, useSchedule, useUpdateSchedule } from '../../../data/schedules.ts';
import { useStorageDestinations } from '../../../data/storage.ts';
import { startZone } from '../../../forms/cron/start-zone.ts';
import { NeedsProjects } from '../../../forms/recurring/needs-projects.tsx';
import { EditPage } from '../../../frame/edit-page.tsx';
import { paths } from '../../../paths.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useParam } from '../../../use-param.ts';
import { draftOf, inputOf, newDraft } from './draft.ts';
import { ScheduleForm } from './schedule-form.tsx';

const crumb = { label: 'Schedules', to: paths.schedules };
const crumbs = [crumb];

export const NewSchedulePage = () => {
  const { projectId: wanted } = useSearch({ strict: false }) as { readonly projectId?: string };
  return (
    <>
      <PageHeader title="New schedule" crumbs={crumbs} description="Backups then run by themselves." />
      <NeedsProjects why="A schedule belongs to one project.">
        {(projects) => <NewSchedule projects={projects} wanted={wanted} />}
      </NeedsProjects>
    </>
  );
};

interface NewScheduleProps {
  readonly projects: readonly Project[];
  readonly wanted: string | undefined;
}

const NewSchedule = ({ projects, wanted }: NewScheduleProps) => {
  const { data: organization, error, refetch } = useOrganization();
  const { items: destinations, query } = useStorageDestinations();
  const create = useCreateSchedule();
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  if (error && !organization) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  // The form begins with the only storage. It must not begin anew while someone types.
  if (!organization || query.isPending) return <SkeletonText lines={5} />;
  const project = projects.find(({ id }) => id === wanted) ?? projects[0];
  const draft = newDraft(project?.id ?? '', startZone(organization.settings.timezone));
  const hasDefault = organization.settings.defaultStorageId ?? project?.settings.defaultStorageId;
  const only = destinations?.[0];
  return (
    <>
      {destinations?.length === 0 && (
        <div className="project__notice">
          <Notice tone="warn" title="There is no storage yet" actions={<ButtonLink to={paths.storage}>Add storage</ButtonLink>}>
            Runs need a bucket to store backups in.
          </Notice>
        </div>
      )}
      <ScheduleForm
        initial={hasDefault || !only ? draft : { ...draft, storageDestinationId: only.id }}
        // A draft for another project would replace the wanted one.
        draftName={`schedule.${wanted ?? ''}`}
        projects={projects}
        isNew
        busy={create.isPending}
        error={create.error}
        reason={reason}
        cancelTo={paths.schedules}
        onSubmit={(input, forget) =>
          create.mutate(input, {
            onSuccess: ({ id }) => {
              forget();
              void navigate({ to: paths.schedule(id) });
            },
          })
        }
      />
    </>
  );
};

export const EditSchedulePage = () => {
  const scheduleId = useParam('scheduleId');
  return (
    <EditPage
      read={useSchedule(scheduleId)}
      what="schedule"
      crumb={crumb}
      to={paths.schedule(scheduleId)}
      inputOf={(schedule) => inputOf(draftOf(schedule))}
      update={useUpdateSchedule(scheduleId)}
    >
      {(opened, form) => <ScheduleForm initial={draftOf(opened)} draftName="schedule" scheduleId={scheduleId} {...form} />}
    </EditPage>
  );
};

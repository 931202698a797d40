import { Link, Outlet, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useRunningBackups } from '../../data/backups.ts';
import { useProjectState } from '../../data/overview.ts';
import { connectedAs, useProject } from '../../data/projects.ts';
import { useRestore, useRunningRestores } from '../../data/restores.ts';
import { BackUpDialog } from '../../forms/back-up/back-up-dialog.tsx';
import { PageFailure } from '../../frame/page-failure.tsx';
import { LabelList } from '../../parts/project/project-list.tsx';
import { ProtectionBadge } from '../../parts/project/protection.tsx';
import { WaitNotice } from '../../parts/wait-notice.tsx';
import { paths } from '../../paths.ts';
import { Status } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { useParam } from '../../use-param.ts';
import { ConnectionNotice } from './connection/connection-notice.tsx';
import { ReconnectDialog } from './connection/reconnect-dialog.tsx';
import { ProjectSummary } from './project-summary.tsx';

const crumb = { label: 'Projects', to: paths.projects };

const tabs = [
  ['Backups', undefined],
  ['Schedules', 'schedules'],
  ['Point in time', 'point-in-time'],
  ['Reads', 'reads'],
  ['Erasures', 'erasures'],
  ['Settings', 'settings'],
  ['Move', 'move'],
] as const;

export const ProjectPage = () => {
  const projectId = useParam('projectId');
  const { pathname } = useLocation();
  const { reconnect: reconnecting } = useSearch({ strict: false }) as { readonly reconnect?: string };
  const navigate = useNavigate();
  const { data: project, error, refetch } = useProject(projectId);
  const [isStarting, setStarting] = useState(false);
  const { reason } = usePermission('member');
  const { state } = useProjectState(projectId);
  const isReadable = project?.status !== 'unauthorized';
  // Other tabs have a main button of their own.
  const isFirstTab = pathname === paths.project(projectId);
  const setReconnecting = (reconnect: boolean): void =>
    void navigate({ to: pathname, search: (reconnect ? { reconnect } : {}) as never, replace: true });
  if (error && !project) return <PageFailure error={error} what="project" crumb={crumb} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={project?.name ?? state?.name ?? 'Project'}
        crumbs={[crumb]}
        badge={
          <>
            {state && <ProtectionBadge {...state} />}
            {project && !isReadable && <Status status={project.status} />}
            {project && <LabelList labels={project.labels} />}
          </>
        }
        description={
          project && (
            <>
              <code className="wrap-anywhere">{project.sourceProjectId}</code>
              {project.databaseId !== '(default)' && <> · database {project.databaseId}</>} · connected as{' '}
              <Email text={connectedAs(project.connection)} />
            </>
          )
        }
        actions={
          <>
            <ButtonLink icon="undo" to={paths.restoreWizard({ projectId })} disabledReason={reason}>
              Restore…
            </ButtonLink>
            <Button
              variant={isReadable && isFirstTab ? 'primary' : 'secondary'}
              icon="archive"
              disabledReason={reason ?? (isReadable ? undefined : 'Reconnect the project first')}
              onClick={() => setStarting(true)}
            >
              Back up now
            </Button>
          </>
        }
      />
      {project && !isReadable && (
        <div className="project__notice">
          <ConnectionNotice project={project} onReconnect={() => setReconnecting(true)} />
        </div>
      )}
      <Waiting projectId={projectId} />
      <Tabs
        label="Project"
        tabs={tabs.map(([label, tab]) => ({
          label,
          to: paths.project(projectId, tab),
          isActive: pathname === paths.project(projectId, tab),
        }))}
      />
      {isFirstTab && <ProjectSummary projectId={projectId} />}
      <Outlet />
      {project && <ReconnectDialog project={project} open={reconnecting !== undefined} onClose={() => setReconnecting(false)} />}
      {isStarting && <BackUpDialog projectId={projectId} isFixed onClose={() => setStarting(false)} />}
    </>
  );
};

/** An outage that holds up a backup or a restore of the project. */
const Waiting = ({ projectId }: { readonly projectId: string }) => {
  const backup = useRunningBackups(projectId).items?.find(({ waitingFor }) => waitingFor !== null);
  // The list does not say for what a restore waits.
  const [running] = useRunningRestores(projectId).items ?? [];
  const { data: restore } = useRestore(running?.restoreJobId ?? '', running !== undefined);
  return (
    <>
      {backup?.waitingFor && (
        <div className="project__notice">
          <WaitNotice wait={backup.waitingFor} subject={<Link to={paths.backup(backup.id)}>The backup that runs</Link>} />
        </div>
      )}
      {running && restore?.waitingFor && (
        <div className="project__notice">
          <WaitNotice
            wait={restore.waitingFor}
            subject={<Link to={paths.restore(restore.restoreJobId)}>The restore that runs</Link>}
          />
        </div>
      )}
    </>
  );
};

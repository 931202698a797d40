import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useBackups } from '../../data/backups.ts';
import { useProjects } from '../../data/projects.ts';
import { useStorageDestinations } from '../../data/storage.ts';
import { ConnectProjectForm } from '../../forms/connection/connect-project-form.tsx';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { FirstBackup } from './first-backup.tsx';
import { Step } from './step.tsx';
import { ProjectTrouble, StorageTrouble } from './step-trouble.tsx';
import { StorageStep } from './storage-step.tsx';

/** The steps within an organization. Which one is current follows from what exists. */
export const OrganizationSteps = () => {
  const projects = useProjects();
  const destinations = useStorageDestinations();
  const backups = useBackups();
  const failed = [projects, destinations, backups].find(({ query, items }) => query.error && !items);
  if (failed)
    return (
      <li>
        <ErrorNotice
          error={failed.query.error}
          title="The steps could not be loaded"
          onRetry={() => void failed.query.refetch()}
        />
      </li>
    );
  if (!projects.items || !destinations.items || !backups.items)
    return (
      <li>
        <SkeletonText lines={4} />
      </li>
    );
  const completed = backups.items.find(({ status }) => status === 'completed');
  const project = projects.items.find(({ status }) => status === 'connected') ?? projects.items[0];
  const destination = destinations.items.find(({ status }) => status === 'connected') ?? destinations.items[0];
  const isReadable = project?.status === 'connected';
  const isStorable = destination?.status === 'connected';
  const stateOf = (isDone: boolean, isReady: boolean) => (isDone ? 'done' : isReady ? 'current' : 'later');
  return (
    <>
      <Step
        number={2}
        title="Connect a project"
        description="The Firestore database to protect. Access is checked at once; nothing is changed in it."
        state={stateOf(isReadable, true)}
        result={project && <Link to={paths.project(project.id)}>{project.name}</Link>}
      >
        {!project ? (
          <ByRole needs="member" action="connects a project">
            <ConnectProjectForm returnTo={paths.start} onConnected={() => undefined} />
          </ByRole>
        ) : (
          !isReadable && <ProjectTrouble project={project} />
        )}
      </Step>
      <Step
        number={3}
        title="Add storage"
        description="A bucket of yours. Backups are encrypted before they are stored there."
        state={stateOf(isStorable, isReadable)}
        result={destination && <Link to={paths.storage}>{destination.name}</Link>}
      >
        {isReadable && !destination ? (
          <ByRole needs="admin" action="adds the storage">
            <StorageStep />
          </ByRole>
        ) : (
          destination && !isStorable && <StorageTrouble destination={destination} />
        )}
      </Step>
      <Step
        number={4}
        title="Take the first backup"
        description="It runs at once, and you can watch it."
        state={stateOf(completed !== undefined, isReadable && isStorable)}
      >
        {project && destination && (
          <FirstBackup project={project} destination={destination} backup={completed ?? backups.items[0]} />
        )}
      </Step>
    </>
  );
};

interface ByRoleProps {
  readonly needs: 'member' | 'admin';
  readonly action: string;
  readonly children: ReactNode;
}

/** A form, or for people who may not send it, who can. */
const ByRole = ({ needs, action, children }: ByRoleProps) => {
  const { reason } = usePermission(needs);
  return reason === undefined ? (
    children
  ) : (
    <Notice title={`Someone else ${action}`}>{reason} Open this page again afterwards.</Notice>
  );
};

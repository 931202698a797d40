/** What is restored: the backup or the moment, with its project. */
import { type Backup, useBackup } from '../../data/backups.ts';
import { type Project, useProjects } from '../../data/projects.ts';
import { useMomentWindow } from '../../parts/source/use-moment-window.ts';
import type { MomentWindow } from '../../parts/source/window-at.ts';
import type { Choice } from './choice.ts';

export interface Source {
  readonly backup: Backup | undefined;
  /** Undefined if it is no longer connected. */
  readonly project: Project | undefined;
  readonly projectName: string;
  readonly projects: readonly Project[] | undefined;
  readonly target: Project | undefined;
  /** Of the chosen moment, while the source is chosen. Null: it cannot be restored. */
  readonly window: MomentWindow | null | undefined;
  /** Why something of it could not be loaded. What was loaded before stays when it cannot be loaded again. */
  readonly error: unknown;
  readonly reload: () => void;
  readonly isLoading: boolean;
}

export const useSource = ({ step, backupId, projectId, at, targetProjectId }: Choice): Source => {
  const read = useBackup(backupId ?? '', backupId !== undefined);
  const { items: projects, query } = useProjects();
  const backup = backupId === undefined ? undefined : read.data;
  const sourceId = backup?.projectId ?? projectId;
  const project = projects?.find(({ id }) => id === sourceId);
  const target = targetProjectId === undefined ? project : projects?.find(({ id }) => id === targetProjectId);
  const window = useMomentWindow(project?.id, step === 'source' && backupId === undefined ? at : undefined);
  return {
    backup,
    project,
    projectName: project?.name ?? backup?.projectName ?? 'Unknown project',
    projects,
    target,
    window,
    error: (backupId === undefined || backup ? undefined : read.error) ?? (projects ? undefined : query.error) ?? undefined,
    reload: () => {
      if (backupId !== undefined) void read.refetch();
      void query.refetch();
    },
    isLoading: projects === undefined || (backupId !== undefined && backup === undefined),
  };
};

import { usePitr, usePitrWindows } from '../../data/projects.ts';
import { type MomentWindow, windowAt } from './window-at.ts';

/** The window of a moment that is being chosen; null if it cannot be restored. */
export const useMomentWindow = (projectId: string | undefined, at: string | undefined): MomentWindow | null | undefined => {
  const enabled = projectId !== undefined && at !== undefined;
  const { data: pitr } = usePitr(projectId ?? '', enabled);
  const { data: reach } = usePitrWindows(projectId ?? '', { isLive: true, enabled });
  return enabled && pitr && reach ? windowAt(at, reach, pitr.latestRestorableAt) : undefined;
};

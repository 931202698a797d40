import type { DataOf } from '../../../../../shared/client/index.ts';

type Reach = DataOf<'GET /projects/{projectId}/pitr/windows'>;
export type MomentWindow = Reach['windows'][number];

/**
 * The window of a moment, of which the service restores the whole second. Null if the moment cannot be restored. Undefined if that
 * is not known: the windows may have been read before the latest moment was captured.
 */
export const windowAt = (
  at: string,
  { windows }: Pick<Reach, 'windows'>,
  latestRestorableAt: string | null,
): MomentWindow | null | undefined => {
  const second = Math.floor(Date.parse(at) / 1_000) * 1_000;
  const window = windows.find(({ from, to }) => Date.parse(from) <= second && second <= Date.parse(to));
  if (window) return window;
  const isNewer = windows.every(({ to }) => Date.parse(to) < second);
  return isNewer && latestRestorableAt !== null && second <= Date.parse(latestRestorableAt) ? undefined : null;
};

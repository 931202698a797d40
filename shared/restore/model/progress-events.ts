import { decilesUpTo } from '../../job/index.ts';
import type { Write } from '../../platform/index.ts';
import { emitRestoreEvent } from './emit-restore-event.ts';
import type { RestoreRecord } from './record.ts';
import type { RestoreContext } from './restore-context.ts';
import { percentOf, restoreProgress } from './restore-progress.ts';

/**
 * One `restore.progress` event for each tenth that the restore, as it will be, has passed and not reported; 100 only once it is
 * completed. The same transaction sets `toldPercent` to `reportedPercent` if it is unchanged, so no tenth is reported twice.
 */
export const restoreProgressEvents = (
  context: RestoreContext,
  restore: RestoreRecord,
  now: Date,
): { readonly reportedPercent?: number; readonly writes: readonly Write[] } => {
  const passed = Math.floor(percentOf(restore) / 10) * 10;
  const percents = decilesUpTo(restore.toldPercent, passed);
  const reportedPercent = percents.at(-1);
  if (reportedPercent === undefined) return { writes: [] };
  const progress = restoreProgress(restore);
  const writes = percents.flatMap((percent) =>
    emitRestoreEvent(context, restore, { name: 'restore.progress', now, progress: { ...progress, percent } }),
  );
  return { reportedPercent, writes };
};

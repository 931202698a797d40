/** How far a restore has come, told to subscribers: one event for each tenth, never two. */
import { decilesUpTo } from '../../job/index.ts';
import type { Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';
import type { RestoreContext } from './restore-context.ts';
import { emitRestoreEvent } from './restore-events.ts';
import { percentOf, progressOf } from './restore-progress.ts';
import { restoreEvent } from './restore-view.ts';

export { percentOf, progressOf } from './restore-progress.ts';

/**
 * The tenths that the restore, as it will be, has passed and not told of; `told` is what `toldPercent` becomes then, in the
 * same transaction and on condition that it is what it was. 100 is told of one that is completed.
 */
export const progressEvents = (
  parties: RestoreContext,
  restore: RestoreRecord,
  now: Date,
): { readonly told?: number; readonly writes: readonly Write[] } => {
  const passed = Math.floor(percentOf(restore) / 10) * 10;
  const percents = decilesUpTo(restore.toldPercent, passed);
  const told = percents.at(-1);
  if (told === undefined) return { writes: [] };
  const { tenant, organization } = parties;
  const event = restoreEvent(restore, parties, organization);
  const progress = progressOf(restore);
  return {
    told,
    writes: percents.flatMap((percent) =>
      emitRestoreEvent(tenant, restore, 'restore.progress', { ...event, progress: { ...progress, percent } }, now),
    ),
  };
};

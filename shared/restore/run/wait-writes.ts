import { type Wait, waitBegins } from '../../job/index.ts';
import type { Write } from '../../platform/index.ts';
import { emitRestoreEvent } from '../model/emit-restore-event.ts';
import type { RestoreRecord } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import { restoreProgress } from '../model/restore-progress.ts';
import { updateRunning } from '../model/running-restore.ts';

/** Shows on the record that the restore waits, with a restore.progress event. The condition fails if it does already. */
export const waitWrites = (
  context: RestoreContext,
  given: { readonly restore: RestoreRecord; readonly wait: Wait; readonly problem?: string; readonly now: Date },
): readonly Write[] => {
  const { restore, wait, problem, now } = given;
  const { id, attempt } = restore;
  const { change, shown, isEventDue } = waitBegins(restore, { wait, problem, now });
  const event = { name: 'restore.progress', now, progress: restoreProgress(restore) } as const;
  return [
    updateRunning(context.tenant, id, { ...change, expected: { ...change.expected, attempt } }),
    ...(isEventDue ? emitRestoreEvent(context, { ...restore, ...shown }, event) : []),
  ];
};

import type { Wait } from '../../job/index.ts';
import { after, iso, type Write } from '../../platform/index.ts';
import { emitRestoreEvent } from '../model/emit-restore-event.ts';
import type { RestoreRecord } from '../model/record.ts';
import type { RestoreContext } from '../model/restore-context.ts';
import { restoreProgress } from '../model/restore-progress.ts';
import { updateRunning } from '../model/running-restore.ts';

/** A job that waits, goes on and waits again reports it this often at most. */
const eventSeconds = 300;

/** Shows on the record that the restore waits, with a restore.progress event. The condition fails if it does already. */
export const waitWrites = (
  context: RestoreContext,
  { restore, waitingFor, now }: { readonly restore: RestoreRecord; readonly waitingFor: Wait; readonly now: Date },
): readonly Write[] => {
  const { id, attempt, waitReportedAt } = restore;
  const isEventDue = waitReportedAt === undefined || waitReportedAt <= iso(after(now, -eventSeconds));
  const set = { waitingFor, ...(isEventDue && { waitReportedAt: iso(now) }) };
  const event = { name: 'restore.progress', now, progress: restoreProgress(restore) } as const;
  return [
    updateRunning(context.tenant, id, { set, expected: { attempt, waitingFor: undefined } }),
    ...(isEventDue ? emitRestoreEvent(context, { ...restore, waitingFor }, event) : []),
  ];
};

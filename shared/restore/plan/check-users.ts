import { JobFailure } from '../../job/index.ts';
import { listAuthUsers, probeAuthUsers } from '../../project/index.ts';
import { sortUsers } from '../../stored-backup/index.ts';
import { touchedCount } from '../model/shard-totals.ts';
import { archivedUsers, joinJournalUsers, openTargetUsers } from '../read/archived-users.ts';
import type { CheckedRange, CheckRun } from './check-run.ts';
import { decideUserActions } from './decide-user-actions.ts';
import type { PlanWriter } from './plan-writer.ts';

/**
 * Plans the users, and stores each that will be touched as it is now. All in one part, because the target's users can only be
 * listed from the beginning; only a list shows password hashes.
 */
export const checkUsers = async (run: CheckRun, writer: PlanWriter): Promise<CheckedRange> => {
  const { open, restore, partialRestore, control } = run;
  const target = openTargetUsers(run.deps, run.context);
  try {
    const live = sortUsers(listAuthUsers(target, control.reading));
    const undone = partialRestore && joinJournalUsers(open.archive, partialRestore.archive, undefined);
    for await (const decision of decideUserActions(archivedUsers(open.archive), {
      target: live,
      mode: restore.mergeMode,
      undone,
    }))
      await writer.addUser(decision);
    // Checks the permissions before anything is written.
    if (!restore.dryRun && touchedCount(writer.plan) > 0)
      await probeAuthUsers(target, { removal: writer.plan.delete > 0, signal: control.reading });
  } catch (error) {
    const cause = control.explain(error);
    if (cause !== undefined) throw cause;
    throw new JobFailure('INTERNAL_ERROR', 'The users of the target could not be listed within the time of one worker');
  }
  return { isChecked: true, reads: 0 };
};

/** The second step: plans one shard against the live target, and saves every document that will be touched. */
import { withPart } from '../../backup/index.ts';
import { RunControl } from '../../job/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { journalBackup, openJournalStore } from '../model/journal.ts';
import type { RestoreRecord } from '../model/record.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { loadRunning, type ShardAttempt, withHeartbeat } from '../model/running-restore.ts';
import { openForRestore, openVerified, readSourceBackup } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { loadRequestedDocuments } from '../scope/requested-documents.ts';
import { restoreScope } from '../scope/restore-scope.ts';
import { checkDocuments } from './check-documents.ts';
import { claimNextPart, recordCheck } from './check-progress.ts';
import type { CheckClaim, CheckRun } from './check-run.ts';
import { checkUsers } from './check-users.ts';
import { isCountMismatch } from './completeness-check.ts';
import { PlanWriter } from './plan-writer.ts';

/** True if the shard is checked; false if another run must continue behind the last part. */
export const checkShard = async (step: ShardAttempt, deps: RestoreDeps): Promise<boolean> => {
  const { tenant, shard, handOver } = step;
  const { restore, organization } = await loadRunning(step);
  // A resumed restore with a sealed journal has nothing to check.
  if (restore.sealedAt !== undefined) return true;
  const context = await loadRestoreContext(tenant, restore, organization);
  const backup = await readSourceBackup(tenant, restore.backupId);
  const scope = restoreScope(restore, backup, (await loadRequestedDocuments(tenant, restore)).documents);
  const dataKey = await deps.dataKeyOf(tenant, journalBackup(tenant, restore));
  const store = await openJournalStore(tenant, restore, deps);
  const control = new RunControl(handOver, deps.clock);
  try {
    const open = await openVerified(tenant, backup, deps);
    const undone = await openUndone(tenant, restore, deps);
    const target = deps.openSource(tenant, context.target);
    const partialRestore = undone && { archive: undone.open.archive, mode: undone.mode };
    try {
      return await checkParts(
        { context, restore, backup, open, target, store, dataKey, scope, partialRestore, control, deps },
        shard,
      );
    } finally {
      target.close();
      undone?.open.close();
      open.close();
    }
  } finally {
    control.close();
    store.close();
  }
};

/** Immediate retries after a target did not send all its documents. */
const mismatchesMax = 2;

const checkParts = async (run: CheckRun, number: number): Promise<boolean> => {
  const { context, restore, control, deps } = run;
  for (let mismatches = 0; !control.isYielding; ) {
    const claim = await claimNextPart(context.tenant, restore, number, deps.random);
    if (!claim) return true;
    const isDone = await checkPart(run, claim).catch((error: unknown) => {
      if (!isCountMismatch(error) || ++mismatches > mismatchesMax) throw error;
      return false;
    });
    log.info('part checked', { restoreJobId: restore.id, number, part: claim.part, isDone });
    if (isDone) return true;
  }
  return false;
};

/** Plans one part, stores it in the journal and commits both. True if the shard is checked. */
export const checkPart = (run: CheckRun, claim: CheckClaim): Promise<boolean> => {
  const { context, restore, control, dataKey, store } = run;
  const backup = journalBackup(context.tenant, restore);
  return withPart({ backup, dataKey, store, control }, claim, async (part) => {
    const writer = new PlanWriter(run, part);
    const checked = await withHeartbeat(run, () =>
      claim.shard.range === undefined ? checkUsers(run, writer) : checkDocuments(run, claim, writer),
    );
    const plan = await writer.finish();
    control.check();
    await recordCheck(run, claim, { ...checked, ...plan });
    return checked.isChecked;
  });
};

/** Undo of an incomplete restore: the backup that one wrote from, and its mode. */
const openUndone = async (tenant: Tenant, { leftBy }: RestoreRecord, deps: RestoreDeps) =>
  leftBy && {
    open: await openForRestore(tenant, await readSourceBackup(tenant, leftBy.backupId), deps),
    mode: leftBy.mergeMode,
  };

/** The second step: plans one shard against the live target, and saves every document that will be touched. */

import { log, type Tenant } from '../../platform/index.ts';
import { withPart } from '../../stored-backup/index.ts';
import { journalBackup, openJournalStore } from '../model/journal.ts';
import { openMasker } from '../model/open-masker.ts';
import { loadRunning, type ShardAttempt } from '../model/running-restore.ts';
import { openForRestore, readSourceBackup } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { type ShardRun, withShardHeartbeat, withShardRun } from '../run/shard-run.ts';
import { loadRequestedDocuments } from '../scope/requested-documents.ts';
import { restoreScope } from '../scope/restore-scope.ts';
import { checkDocuments } from './check-documents.ts';
import { claimNextCheck, recordCheck } from './check-progress.ts';
import type { CheckClaim, CheckRun } from './check-run.ts';
import { checkUsers } from './check-users.ts';
import { isCountMismatch } from './completeness-check.ts';
import { PlanWriter } from './plan-writer.ts';

/** True if the shard is checked; false if another run must continue behind the last part. */
export const checkShard = async (step: ShardAttempt, deps: RestoreDeps): Promise<boolean> => {
  const { tenant, shard } = step;
  const running = await loadRunning(step);
  const { restore } = running;
  // A resumed restore with a sealed journal has nothing to check.
  if (restore.sealedAt !== undefined) return true;
  const dataKey = await deps.dataKeyOf(tenant, journalBackup(tenant, restore));
  return withShardRun(step, { ...running, deps, verifyHeaders: true }, async (run) => {
    const { documents } = await loadRequestedDocuments(tenant, restore);
    const scope = restoreScope(restore, run.backup, documents);
    const store = await openJournalStore(tenant, restore, run.deps);
    const masker = await openMasker(tenant, restore, async () => dataKey);
    const undone = await openUndone(tenant, run);
    try {
      return await checkParts({ ...run, store, dataKey, scope, masker, partialRestore: undone }, shard);
    } finally {
      undone?.close();
      store.close();
    }
  });
};

/** Immediate retries after a target did not send all its documents. */
const mismatchesMax = 2;

const checkParts = async (run: CheckRun, number: number): Promise<boolean> => {
  const { context, restore, control, deps } = run;
  for (let mismatches = 0; !control.isYielding; ) {
    const claim = await claimNextCheck(context.tenant, { job: restore, number, random: deps.random });
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
    const checked = await withShardHeartbeat(run, () =>
      claim.shard.range === undefined ? checkUsers(run, writer) : checkDocuments(run, claim, writer),
    );
    const plan = await writer.finish();
    control.check();
    await recordCheck(run, claim, { ...checked, ...plan });
    return checked.isChecked;
  });
};

/** Undo of an incomplete restore: the backup that one wrote from, and how it wrote. Its journal is the backup of the undo. */
const openUndone = async (tenant: Tenant, { restore: { leftBy, undoOf }, backup, deps }: ShardRun) => {
  if (!leftBy) return undefined;
  const undone = { id: undoOf ?? '', ...(leftBy.transform && { transform: leftBy.transform }) };
  const masker = await openMasker(tenant, undone, () => deps.dataKeyOf(tenant, backup));
  const open = await openForRestore(tenant, await readSourceBackup(tenant, leftBy.backupId), deps);
  return { archive: open.archive, mode: leftBy.mergeMode, masker, close: () => open.close() };
};

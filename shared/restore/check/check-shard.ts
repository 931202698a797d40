/** The second step: plans one shard against the live target, as far as its time reaches, and saves what will be touched. */
import { RunControl } from '../../job/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { journalBackup, openJournalStore } from '../model/journal.ts';
import type { RestoreRecord } from '../model/record.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { loadRunning } from '../model/running-restore.ts';
import { openForRestore, openVerified, readSourceBackup } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { loadRequestedDocuments } from '../scope/requested-documents.ts';
import { restoreScope } from '../scope/restore-scope.ts';
import { checkDocuments } from './check-documents.ts';
import { claimNextPart } from './check-progress.ts';
import type { CheckClaim, CheckRun } from './check-run.ts';
import { checkUsers } from './check-users.ts';
import { isCountMismatch } from './prove-absence.ts';

/** True if the shard is checked; false if another run is to go on behind what this one stored. */
export const checkShard = async (
  tenant: Tenant,
  restoreJobId: string,
  number: number,
  handOver: Date,
  engine: RestoreDeps,
  attempt?: number,
): Promise<boolean> => {
  const { restore, organization } = await loadRunning(tenant, restoreJobId, attempt);
  // One that is resumed with its journal complete has nothing to check.
  if (restore.sealedAt !== undefined) return true;
  const parties = await loadRestoreContext(tenant, restore, organization);
  const backup = await readSourceBackup(tenant, restore.backupId);
  const scope = restoreScope(restore, backup, (await loadRequestedDocuments(tenant, restore)).documents);
  const dataKey = await engine.dataKeyOf(tenant, journalBackup(tenant, restore));
  const store = await openJournalStore(tenant, restore, engine);
  const halt = new RunControl(handOver, engine.clock);
  try {
    const open = await openVerified(tenant, backup, engine);
    const left = await openLeft(tenant, restore, engine);
    const target = engine.openSource(tenant, parties.target);
    const unclean = left && { archive: left.open.archive, mode: left.mode };
    try {
      return await checkAll({ context: parties, restore, backup, open, target, store, dataKey, scope, partialRestore: unclean, control: halt, deps: engine }, number);
    } finally {
      target.close();
      left?.open.close();
      open.close();
    }
  } finally {
    halt.close();
    store.close();
  }
};

/** A target that does not send all it has is read again at once, a few times. */
const mismatchesMax = 2;

const checkAll = async (run: CheckRun, number: number): Promise<boolean> => {
  const { context: parties, restore, control: halt, deps: engine } = run;
  for (let mismatches = 0; !control.isYielding; ) {
    const claim = await claimNextPart(context.tenant, restore, number, deps.random);
    if (!claim) return true;
    const isDone = await checkPart(run, claim).catch((error: unknown) => {
      if (!isCountMismatch(error) || ++mismatches > mismatchesMax) throw error;
      return false;
    });
    log.info('checked a part', { restoreJobId: restore.id, number, part: claim.part, isDone });
    if (isDone) return true;
  }
  return false;
};

const checkPart = (run: CheckRun, claim: CheckClaim): Promise<boolean> =>
  claim.shard.range === undefined ? checkUsers(run, claim) : checkDocuments(run, claim);

/** Of an undo of a restore that did not do all it planned: what that one wrote from, and how. */
const openLeft = async (tenant: Tenant, { leftBy }: RestoreRecord, engine: RestoreDeps) =>
  leftBy && {
    open: await openForRestore(tenant, await readSourceBackup(tenant, leftBy.backupId), engine),
    mode: leftBy.mergeMode,
  };

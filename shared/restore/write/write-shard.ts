/** The fourth step: writes one shard of the plan to the target, as far as its time reaches. */
import { RunControl } from '../../job/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { releaseWriterLease } from '../model/active-writers.ts';
import { journalBackup } from '../model/journal.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { loadRunning } from '../model/running-restore.ts';
import { openForRestore, readSourceBackup } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { sharedRateLimiter } from './table-rate-store.ts';
import { writeDocuments } from './write-documents.ts';
import { claimShard, type WriteClaim, type WriteRun } from './write-progress.ts';
import { writeUsers } from './write-users.ts';

/** True if the shard is done; false if another run is to go on behind what this one wrote. */
export const writeShard = async (
  tenant: Tenant,
  restoreJobId: string,
  number: number,
  handOver: Date,
  engine: RestoreDeps,
  attempt?: number,
): Promise<boolean> => {
  const { restore, organization } = await loadRunning(tenant, restoreJobId, attempt);
  const parties = await loadRestoreContext(tenant, restore, organization);
  const backup = await readSourceBackup(tenant, restore.backupId);
  const open = await openForRestore(tenant, backup, engine);
  try {
    const journal = await openForRestore(tenant, journalBackup(tenant, restore), engine);
    const target = engine.openSource(tenant, parties.target);
    const halt = new RunControl(handOver, engine.clock);
    try {
      const claim = await claimShard(tenant, restore, number, engine.random, handOver);
      const pace = sharedRateLimiter(tenant, restore, engine);
      return !claim || (await writeClaimed({ context: parties, restore, backup, open, journal, target, control: halt, deps: engine, rateLimiter: pace }, claim));
    } finally {
      halt.close();
      target.close();
      journal.close();
    }
  } finally {
    open.close();
  }
};

const writeClaimed = async (run: WriteRun, claim: WriteClaim): Promise<boolean> => {
  const { number, range } = claim.shard;
  const writing = range === undefined ? writeUsers(run, claim) : writeDocuments(run, claim);
  const isDone = await writing.finally(() => releaseWriterLease(run.context.tenant, run.restore.id, { number, run: claim.run }));
  log.info('wrote to the target', { restoreJobId: run.restore.id, number, run: claim.run, isDone });
  return isDone;
};

/** The fourth step: writes one shard of the plan to the target, as far as its time reaches. */
import { RunControl } from '../../job/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { releaseWriterLease } from '../model/active-writers.ts';
import { journalBackup } from '../model/journal.ts';
import { partiesOf } from '../model/restore-context.ts';
import { readRunning } from '../model/running-restore.ts';
import { openForRestore, readSource } from '../read/open-for-restore.ts';
import type { RestoreEngine } from '../restore-deps.ts';
import { sharedPace } from './table-rate-store.ts';
import { writeDocuments } from './write-documents.ts';
import { claimShard, type WriteClaim, type WriteRun } from './write-progress.ts';
import { writeUsers } from './write-users.ts';

/** True if the shard is done; false if another run is to go on behind what this one wrote. */
export const writeShard = async (
  tenant: Tenant,
  restoreJobId: string,
  number: number,
  handOver: Date,
  engine: RestoreEngine,
  attempt?: number,
): Promise<boolean> => {
  const { restore, organization } = await readRunning(tenant, restoreJobId, attempt);
  const parties = await partiesOf(tenant, restore, organization);
  const backup = await readSource(tenant, restore.backupId);
  const open = await openForRestore(tenant, backup, engine);
  try {
    const journal = await openForRestore(tenant, journalBackup(tenant, restore), engine);
    const target = engine.openSource(tenant, parties.target);
    const halt = new RunControl(handOver, engine.clock);
    try {
      const claim = await claimShard(tenant, restore, number, engine.random, handOver);
      const pace = sharedPace(tenant, restore, engine);
      return !claim || (await writeClaimed({ parties, restore, backup, open, journal, target, halt, engine, pace }, claim));
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
  const isDone = await writing.finally(() => releaseWriterLease(run.parties.tenant, run.restore.id, { number, run: claim.run }));
  log.info('wrote to the target', { restoreJobId: run.restore.id, number, run: claim.run, isDone });
  return isDone;
};

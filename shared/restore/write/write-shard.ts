/** The fourth step: writes one shard of the plan to the target, until its time is up. */
import { log } from '../../platform/index.ts';
import { journalBackup } from '../model/journal.ts';
import { openMasker } from '../model/open-masker.ts';
import { loadRunning, type ShardAttempt } from '../model/running-restore.ts';
import { releaseWriterLease } from '../model/writer-lease.ts';
import { openJournal } from '../read/open-for-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { withShardRun } from '../run/shard-run.ts';
import { sharedRateLimiter } from './table-rate-store.ts';
import { writeDocuments } from './write-documents.ts';
import { claimShard, type WriteClaim, type WriteRun } from './write-progress.ts';
import { writeUsers } from './write-users.ts';

/** True if the shard is done; false if another run must continue behind the checkpoint. */
export const writeShard = async (step: ShardAttempt, deps: RestoreDeps): Promise<boolean> => {
  const { tenant, shard: number, handOver } = step;
  const running = await loadRunning(step);
  const { restore } = running;
  return withShardRun(step, { ...running, deps }, async (run) => {
    const journalRecord = journalBackup(tenant, restore);
    const masker = await openMasker(tenant, restore, () => deps.dataKeyOf(tenant, journalRecord));
    const journal = await openJournal(tenant, journalRecord, run.deps);
    try {
      const claim = await claimShard(tenant, restore, { number, handOver, random: deps.random });
      const rateLimiter = sharedRateLimiter(tenant, restore, deps);
      return !claim || (await writeClaimed({ ...run, journal, rateLimiter, masker }, claim));
    } finally {
      journal.close();
    }
  });
};

const writeClaimed = async (run: WriteRun, claim: WriteClaim): Promise<boolean> => {
  const { number, range } = claim.shard;
  const writing = range === undefined ? writeUsers(run, claim) : writeDocuments(run, claim);
  const lease = { number, run: claim.run };
  const isDone = await writing.finally(() => releaseWriterLease(run.context.tenant, run.restore.id, lease));
  log.info('shard run ended', { restoreJobId: run.restore.id, number, run: claim.run, isDone });
  return isDone;
};

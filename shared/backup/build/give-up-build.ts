/** A backup that is built from changes needs what it is built upon until it is sealed. If that cannot be read, it reads the source. */
import { phaseEntry } from '../../job/index.ts';
import { commit, isConflict, type Tenant } from '../../platform/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';
import { OriginFailure } from '../incremental/parent-archive.ts';
import { isSamePlan, readRunningBackup, updateRunningBackup } from '../model/running-backup.ts';

/** Drops the plan, if that helps: false for an error that reading the source would meet, too. The workflow then plans once more. */
export const giveUpBuild = async (
  tenant: Tenant,
  { backup, error, now }: { readonly backup: BackupRecord; readonly error: unknown; readonly now: Date },
): Promise<boolean> => {
  if (!(error instanceof OriginFailure) || !backup.buildBase) return false;
  const { id, planNumber, shards } = backup;
  const change = updateRunningBackup(tenant, id, {
    set: {
      phase: 'planning',
      waitingFor: undefined,
      builtFrom: undefined,
      builtFromReason: error.message,
      buildBase: undefined,
      delta: undefined,
      erasuresHeeded: undefined,
      auditedSince: undefined,
      shards: undefined,
    },
    append: { timeline: [phaseEntry('planning', now)] },
    expected: { planNumber, shards },
  });
  try {
    await commit([change]);
  } catch (failed) {
    if (!isConflict(failed)) throw failed;
    // Another worker may have dropped it.
    const { backup: current } = await readRunningBackup(tenant, id, now);
    if (isSamePlan(current, backup)) throw failed;
  }
  return true;
};

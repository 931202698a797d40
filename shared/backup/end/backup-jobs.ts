import type { JobWorkflow, ReapedKind } from '../../job/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupKey,
  type RunningRecord,
  runningPartition,
} from '../../stored-backup/index.ts';
import { internalFailure } from '../steps/backup-steps.ts';
import { cleanUpBackup } from './clean-up-backup.ts';
import { failBackup, reasonFor } from './fail-backup.ts';

/** Backups, as the reaper sees them. */
export const backupJobs = (deps: BackupDeps, workflow: JobWorkflow): ReapedKind<RunningRecord, BackupRecord> => ({
  name: 'backup',
  partition: runningPartition,
  workflow,
  clock: deps.clock,
  execution: ({ organizationId, backupId }) => ({ name: backupId, input: { organizationId, backupId } }),
  recordKey: (tenant, { backupId }) => backupKey.backup(tenant, backupId),
  reasonOf: (backup, now) => reasonFor(backup, undefined, now),
  startFailure: { ...internalFailure, message: 'The service could not start the backup' },
  fail: (tenant, { backupId }, { reason, now }) => failBackup(tenant, { backupId, reason: () => reason, now }),
  cleanUp: (tenant, { backupId }, { isGivenUp }) => cleanUpBackup(tenant, { backupId, deps, options: { isGivenUp } }),
});

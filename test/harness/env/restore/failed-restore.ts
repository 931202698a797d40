import { deepEqual } from 'node:assert/strict';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import type { RestoreEnv, RestoreInput } from '../restore-env.ts';

/** Runs a restore that must fail before its first write, without a safety backup or a lock left, and returns its failure. */
export const failedEarly = async (t: RestoreEnv, backup: BackupRecord, input: RestoreInput = {}) => {
  const live = t.documentsIn();
  t.server.faults.resetCalls();
  const id = await t.startRestore(backup, input);
  const { status, phase, error, safetyBackupId, journal } = await t.runRestore(id, { triesMax: 2 });
  deepEqual({ status, writes: t.writesSent(), safetyBackupId }, { status: 'failed', writes: 0, safetyBackupId: undefined });
  deepEqual(t.documentsIn(), live);
  const [reported] = t.events('restore.failed').map(({ data }) => (data as { restore: { error: unknown } }).restore.error);
  deepEqual(reported, { details: {}, ...error });
  deepEqual(t.table.find('ORG#', 'JOB#'), [], 'the target stays locked');
  return { id, phase, code: error!.code, details: error!.details, message: error!.message, journal };
};

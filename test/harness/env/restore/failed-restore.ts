import { deepEqual } from 'node:assert/strict';
import type { Shop } from '../../builders/sample-shop.ts';
import {
  documentsIn,
  eventsOf,
  type RestoreInput,
  runRestore,
  server,
  startTestRestore,
  table,
  writesSent,
} from '../restore-env.ts';

/** Runs a restore that must fail before its first write, without a safety backup or a lock left, and returns its failure. */
export const failedEarly = async ({ world, backup }: Shop, input: RestoreInput = {}) => {
  const live = documentsIn(world);
  server.faults.resetCalls();
  const id = await startTestRestore(world, backup, input);
  const { status, phase, error, safetyBackupId, journal } = await runRestore(world, id, { triesMax: 2 });
  deepEqual([status, writesSent(), safetyBackupId], ['failed', 0, undefined]);
  deepEqual(documentsIn(world), live);
  const [reported] = eventsOf('restore.failed').map(({ data }) => (data as { restore: { error: unknown } }).restore.error);
  deepEqual(reported, error);
  deepEqual(table.find('ORG#', 'JOB#'), [], 'the target stays locked');
  return { id, phase, code: error!.code, details: error!.details, message: error!.message, journal };
};

import { deepEqual } from 'node:assert/strict';
import type { Shop } from '../builders/sample-shop.ts';
import {
  documentsIn,
  eventsOf,
  type RestoreInput,
  runRestore,
  server,
  startTestRestore,
  table,
  writesSent,
} from './restore-env.ts';

/** Runs a restore that must fail before its first write, and gives how: nothing is written, saved for good, or left locked. */
export const failedEarly = async ({ world, backup }: Shop, ask: RestoreInput = {}) => {
  const live = documentsIn(world);
  server.faults.resetCalls();
  const id = await startTestRestore(world, backup, ask);
  const { status, phase, error, safetyBackupId, journal } = await runRestore(world, id, { triesMax: 2 });
  deepEqual([status, writesSent(), safetyBackupId], ['failed', 0, undefined]);
  deepEqual(documentsIn(world), live);
  const [told] = eventsOf('restore.failed').map(({ data }) => (data as { restore: { error: unknown } }).restore.error);
  deepEqual(told, error);
  deepEqual(table.find('ORG#', 'JOB#'), [], 'the target stays locked');
  return { id, phase, code: error!.code, details: error!.details, message: error!.message, journal };
};

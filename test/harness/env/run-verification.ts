import { after, commit } from '../../../shared/platform/index.ts';
import { type BackupRecord, backupKey, startVerification, verifyBackup } from '../../../shared/stored-backup/index.ts';
import type { BackupEnv } from './backup-env.ts';

/** Verifies a backup, as the workflow does, and returns the result. */
export const runVerification = async (
  { tenant, table, deps }: Pick<BackupEnv, 'tenant' | 'table' | 'deps'>,
  backupId: string,
  depth: 'structure' | 'sample' | 'full',
): Promise<NonNullable<BackupRecord['verification']>> => {
  const read = (): BackupRecord => table.get<BackupRecord>(backupKey.backup(tenant, backupId))!;
  const now = deps.clock.now();
  await commit(startVerification(tenant, { backup: read(), depth, now }).change.writes);
  let position: Awaited<ReturnType<typeof verifyBackup>> | null = null;
  do position = (await verifyBackup(tenant, { backupId, position, deadline: after(now, 600), deps })) ?? null;
  while (position !== null);
  return read().verification!;
};

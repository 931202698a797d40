import { JobFailure, maskSaltKey } from '../../job/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import type { BackupRecord, OpenArchive } from '../../stored-backup/index.ts';
import type { ExportRecord } from '../model/record.ts';

export interface OpenedBackup {
  readonly backup: BackupRecord;
  readonly open: OpenArchive;
}

/** From these the keys of an export are derived, which are never stored. The salt is destroyed at its end. */
export const exportSecrets = async (
  tenant: Tenant,
  { id }: ExportRecord,
  { backup, open }: OpenedBackup,
): Promise<{ readonly dataKey: Uint8Array; readonly salt: Uint8Array }> => {
  const stored = await get(maskSaltKey(tenant, id));
  if (!stored) throw new JobFailure('KEY_UNAVAILABLE', 'The key of the export was destroyed; start another export');
  const { dataKey } = await open.sourceOf(backup.archive.backup);
  return { dataKey, salt: stored.salt };
};

import type { Tenant, Write } from '../../platform/index.ts';
import { addReads } from '../../project/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';

/** What a backup was billed, on the day on which it ends, however it ends. */
export const backupReads = (
  tenant: Tenant,
  { projectId, trigger, reads }: Pick<BackupRecord, 'projectId' | 'trigger' | 'reads'>,
  now: Date,
): readonly Write[] => addReads(tenant, { projectId, reads: { [trigger === 'pitr-base' ? 'bases' : 'backups']: reads }, now });

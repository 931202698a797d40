import { isRestorePointBackup } from './backup-fields.ts';
import type { BackupRecord } from './record.ts';

export type SourceReading = Pick<BackupRecord, 'builtFrom' | 'auditedSince'>;

/**
 * What the documents of a backup were taken from, and since when every one was read from the source. Both are absent if they are not
 * known: of an import whose manifest does not say it. Backups of earlier versions have read the source, except for restore points.
 */
export const sourceReadingOf = (
  backup: Pick<BackupRecord, 'builtFrom' | 'auditedSince' | 'readTime' | 'trigger' | 'retentionDays'>,
): SourceReading => {
  const { builtFrom = isRestorePointBackup(backup) ? 'changes' : backup.trigger === 'import' ? undefined : 'source' } = backup;
  const auditedSince = builtFrom === 'source' ? backup.readTime : builtFrom && backup.auditedSince;
  return { ...(builtFrom && { builtFrom }), ...(auditedSince && { auditedSince }) };
};

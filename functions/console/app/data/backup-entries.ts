import type { ElementOf } from '../../../../shared/client/index.ts';
import { useList } from '../api/use-api.ts';

export type BackupEntry = ElementOf<'GET /backups/{backupId}/documents'>;

/** What a backup has at a path: collections of the root or of a document, or documents of a collection. */
export const useBackupEntries = (backupId: string | undefined, path: string) =>
  useList(
    'GET /backups/{backupId}/documents',
    { params: { backupId: backupId ?? '' }, query: { path, limit: 100 } },
    { enabled: backupId !== undefined },
  );

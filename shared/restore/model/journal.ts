/** The journal of a restore: an archive of the documents that it touches, as they were before. */

import { ApiError } from '../../contract/errors.ts';
import { type ObjectStore, readDestination } from '../../destination/index.ts';
import { JobFailure, throwAsUploadError, wrapStore } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { type BackupRecord, finishedFields, newBackupRecord } from '../../stored-backup/index.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import type { RestoreRecord } from './record.ts';

/** The journal as a backup record. Two runs of the same step must build the same record, because the manifest is made from it. */
export const journalBackup = (tenant: Tenant, restore: RestoreRecord): BackupRecord => {
  const { journal, targetProjectId, targetProjectName } = restore;
  const { backupId: id, storageDestination, path, encryption, keyFile, manifestDigest } = journal;
  return newBackupRecord(tenant, {
    ...finishedFields,
    id,
    projectId: targetProjectId,
    projectName: targetProjectName,
    type: 'full',
    trigger: 'safety',
    includeAuthUsers: restore.includeAuthUsers,
    storageDestination,
    path,
    keyFile,
    encryption,
    manifestDigest,
    // Locked when it is sealed.
    lockedUntil: null,
    readTime: restore.since,
    createdAt: restore.startedAt ?? restore.createdAt,
    startedAt: restore.startedAt,
    createdBy: restore.createdBy,
  });
};

/** Opens the folder of the journal. Its errors become upload errors, to tell them from those of the stores that are read. */
export const openJournalStore = async (tenant: Tenant, { journal }: RestoreRecord, deps: RestoreDeps): Promise<ObjectStore> => {
  try {
    const destination = await readDestination(tenant, journal.storageDestination.id);
    return asUploadStore(await deps.openStore(tenant, destination, journal.path));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') throw destinationDeleted(error);
    return throwAsUploadError(error);
  }
};

export const destinationDeleted = (cause: unknown): JobFailure =>
  new JobFailure('STORAGE_UPLOAD_ERROR', 'The storage destination of the safety backup was deleted', undefined, { cause });

export const asUploadStore = (store: ObjectStore): ObjectStore => wrapStore(store, (call) => call().catch(throwAsUploadError));

/** The journal of a restore: an archive of what it touches, as that was before. */
import { type BackupRecord, backupKey, initialBackupFields } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type ObjectStore, readDestination, StorageError, type Upload } from '../../destination/index.ts';
import { JobFailure, UploadError } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import type { RestoreRecord } from './record.ts';

/**
 * The journal as whoever reads or seals an archive knows it. Nothing in it may differ between two runs of the same step, because
 * its manifest is made of it.
 */
export const journalBackup = (tenant: Tenant, restore: RestoreRecord): BackupRecord => {
  const { journal, targetProjectId } = restore;
  const { backupId: id, storageDestination, path, encryption, keyFile, manifestDigest } = journal;
  return {
    ...backupKey.backup(tenant, id),
    id,
    projectId: targetProjectId,
    type: 'full',
    parentBackupId: null,
    status: 'completed',
    phase: 'finished',
    trigger: 'safety',
    scheduleId: null,
    collections: ['*'],
    excludedCollections: [],
    includeAuthUsers: restore.includeAuthUsers,
    storageDestination,
    path,
    archive: { organization: tenant.organizationId, project: targetProjectId, backup: id },
    ...(keyFile && { keyFile }),
    encryption,
    ...(manifestDigest !== undefined && { manifestDigest }),
    // No lock is put on its objects: they are removed when nothing can be taken back any more, after days.
    ...initialBackupFields,
    totalDocuments: 0,
    toldPercent: 100,
    readTime: restore.since ?? null,
    createdAt: restore.startedAt ?? restore.createdAt,
    startedAt: restore.startedAt,
    createdBy: restore.createdBy,
  };
};

/** The folder of the journal. Whatever it refuses is told as a failed upload: other stores are read beside it. */
export const openJournalStore = async (
  tenant: Tenant,
  { journal }: RestoreRecord,
  engine: RestoreDeps,
): Promise<ObjectStore> => {
  try {
    const destination = await readDestination(tenant, journal.storageDestination.id);
    return asUploadStore(await engine.openStore(tenant, destination, journal.path));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND') throw destinationDeleted(error);
    return throwAsUploadError(error);
  }
};

export const destinationDeleted = (cause: unknown): JobFailure =>
  new JobFailure('STORAGE_UPLOAD_ERROR', 'The storage destination of the safety backup is gone', undefined, { cause });

/** A store whose refusals are told as failed uploads. */
export const asUploadStore = (store: ObjectStore): ObjectStore => ({
  put: (...all) => store.put(...all).catch(throwAsUploadError),
  upload: (...all) => uploadingTo(store.upload(...all)),
  get: (...all) => store.get(...all).catch(throwAsUploadError),
  head: (...all) => store.head(...all).catch(throwAsUploadError),
  list: (...all) => store.list(...all),
  remove: (...all) => store.remove(...all).catch(throwAsUploadError),
  abortUnfinishedUploads: (...all) => store.abortUnfinishedUploads(...all).catch(throwAsUploadError),
  close: () => store.close(),
});

const uploadingTo = (upload: Upload): Upload => ({
  write: (pieces) => upload.write(pieces).catch(throwAsUploadError),
  finish: () => upload.finish().catch(throwAsUploadError),
  abort: () => upload.abort(),
});

/** Throws what a store said as said of an upload. */
export const throwAsUploadError = (error: unknown): never => {
  if (!(error instanceof StorageError) || error instanceof UploadError) throw error;
  throw new UploadError(error.code, error.message, { cause: error, bucket: error.bucket });
};

/** Refuses a restore of names that the backup does not have, before anything is started. */

import { ApiError } from '../../contract/errors.ts';
import { openStoreWith } from '../../destination/index.ts';
import { after, type Clock, clock, log, type Tenant } from '../../platform/index.ts';
import { type ArchiveDeps, type BackupRecord, requestArchiveDeps, withArchiveInRequest } from '../../stored-backup/index.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { findMissing, type NameSearch } from '../scope/find-missing.ts';

/** The request waits for this. The job decides what was not found out in time. */
const searchSeconds = 6;
/** A slow bucket is left to the job. */
const quickPolicy = { attempts: 1, firstDelayMs: 0, maxDelayMs: 0, requestMs: 3_000 };
export const quickDeps: ArchiveDeps = {
  ...requestArchiveDeps,
  openStore: (tenant, destination, folder) => openStoreWith(tenant, { destination, folder, retryPolicy: quickPolicy }),
};

interface NamedOptions extends Pick<StartRestoreOptions, 'mergeMode' | 'collections' | 'documents' | 'includeSubcollections'> {
  readonly deps?: ArchiveDeps;
  readonly time?: Clock;
}

/**
 * Throws COLLECTION_NOT_FOUND or DOCUMENT_NOT_FOUND if the backup has none of the requested names. A rollback may name what the
 * backup lacks, to delete it, so its job decides. So does the job of a backup that cannot be read now: it reports why.
 */
export const assertNamesFound = async (
  tenant: Tenant,
  backup: BackupRecord,
  { mergeMode, collections, documents, includeSubcollections, deps = quickDeps, time = clock }: NamedOptions,
): Promise<void> => {
  if (mergeMode === 'rollback' || (collections.includes('*') && !documents)) return;
  const until = after(time.now(), searchSeconds);
  const requested = { collections, given: documents?.given, includeSubcollections };
  const names = await withArchiveInRequest(tenant, {
    backup,
    work: ({ archive }) => findMissing(archive, requested, () => time.now() >= until),
    deps,
  }).catch((error: unknown) => {
    log.warn('the names of a restore are left to its job', error as Error);
    return undefined;
  });
  if (names?.nothingFound) throw namesNotFound(names.nothingFound);
};

export const namesNotFound = ({ code, message, details }: NonNullable<NameSearch['nothingFound']>): ApiError =>
  new ApiError(code, message, details);

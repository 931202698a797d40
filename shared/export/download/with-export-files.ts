/** The files of a completed export, as the manifest in the bucket lists them. */
import { ApiError } from '../../contract/errors.ts';
import {
  type ObjectStore,
  objectThat,
  openStoreInRequest,
  readDestination,
  readExpected,
  StorageError,
} from '../../destination/index.ts';
import { type Tenant, warm } from '../../platform/index.ts';
import { fileDigest } from '../model/file-digest.ts';
import { getExport } from '../model/get-export.ts';
import { type ExportedFile, type ExportRecord, manifestFile } from '../model/record.ts';

interface StoredExport {
  readonly record: ExportRecord;
  readonly files: readonly ExportedFile[];
  readonly store: ObjectStore;
}

export interface WantedExport {
  readonly exportId: string;
  readonly open?: typeof openStoreInRequest;
}

/** A hundred files have about 20 KB. More than a hundred thousand are not listed here. */
const manifestMaxBytes = 20 << 20;

/** What was read last, by digest: the pieces of a file are asked for one after the other. */
const lastRead = warm((): { digest?: string; files?: readonly ExportedFile[] } => ({}));

/** Runs `work` with the folder of a completed export open. Errors of the store become ApiErrors. */
export const withExportFiles = async <T>(
  tenant: Tenant,
  { exportId, open = openStoreInRequest }: WantedExport,
  work: (stored: StoredExport) => Promise<T>,
): Promise<T> => {
  const record = await getExport(tenant, exportId);
  const { status, manifest, storageDestination, path, filesDeletedAt } = record;
  if (status !== 'completed' || !manifest)
    throw new ApiError('CONFLICT', `Only a completed export has files. This one is ${status}`, { status });
  if (filesDeletedAt !== undefined)
    throw new ApiError('NOT_FOUND', `The files of the export were deleted at ${filesDeletedAt}, when its retention ended`, {
      filesDeletedAt,
    });
  const destination = await readDestination(tenant, storageDestination.id);
  let store: ObjectStore | undefined;
  try {
    store = await open(tenant, destination, path);
    const files = await readManifest(store, manifest.sha256);
    return await work({ record, files, store });
  } catch (error) {
    throw toDownloadError(error);
  } finally {
    store?.close();
  }
};

/** Only the manifest that the export has written is believed. */
const readManifest = async (store: ObjectStore, digest: string): Promise<readonly ExportedFile[]> => {
  const last = lastRead();
  if (last.files && last.digest === digest) return last.files;
  const isStored = (bytes: Uint8Array): boolean => fileDigest(bytes) === digest;
  const bytes = await readExpected(store, objectThat(manifestFile, manifestMaxBytes, isStored), async () => {
    const found = await store.get(manifestFile, { maxBytes: manifestMaxBytes });
    if (!isStored(found)) throw altered(manifestFile);
    return found;
  });
  const { files } = JSON.parse(Buffer.from(bytes).toString()) as { readonly files: readonly ExportedFile[] };
  Object.assign(last, { digest, files });
  return files;
};

export const altered = (name: string): ApiError =>
  new ApiError('STORAGE_ERROR', `${name} in the bucket is not the file that was exported`, {
    step: 'read',
    reason: 'altered',
    object: name,
  });

const toDownloadError = (error: unknown): unknown => {
  if (!(error instanceof StorageError)) return error;
  const cause = { cause: error };
  if (error.code === 'missing' && !error.bucket)
    return new ApiError('NOT_FOUND', 'The file was deleted from the storage destination', undefined, cause);
  const details = { step: 'read', reason: error.code };
  return new ApiError('STORAGE_ERROR', `The files of the export cannot be read: ${error.message}`, details, cause);
};

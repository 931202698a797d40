/** Opens a backup for verification, and reports what is missing. */
import { ArchiveError, keyFileName, manifestName, maxKeyFileBytes } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type ObjectStore, readDestination, StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { isSameKey } from '../encryption/data-key.ts';
import { throwForeignKmsFailure } from '../encryption/key-errors.ts';
import type { BackupRecord } from '../model/record.ts';
import { type ArchiveSource, keyWith, type OpenArchive, openRawArchive } from '../read/open-archive.ts';
import { readAgain } from '../read/read-again.ts';
import { toProblem } from './check-object.ts';
import type { VerificationFinding, VerificationReport } from './verification-report.ts';

/** Undefined if the backup cannot be opened; then the report says why. */
export const openOrReport = async (
  tenant: Tenant,
  { backup, deps, report }: { readonly backup: BackupRecord; readonly deps: BackupDeps; readonly report: VerificationReport },
): Promise<OpenArchive | undefined> => {
  try {
    return await openRawArchive(tenant, { backup, deps });
  } catch (error) {
    if (error instanceof JobFailure) report.add(keyFileName, 'unreadable', error.message);
    else if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND')
      report.add(manifestName, 'unreadable', 'The storage destination is gone');
    else {
      const { problem, message } = toProblem(error);
      report.add(manifestName, problem, problem === 'missing' ? await describeRemains(tenant, backup, deps) : message);
    }
    return undefined;
  }
};

/** Distinguishes a backup that was deleted as a whole from one that lost its manifest. */
const describeRemains = async (tenant: Tenant, { storageDestination, path }: BackupRecord, deps: BackupDeps): Promise<string> => {
  const store = await deps.openStore(tenant, await readDestination(tenant, storageDestination.id), path);
  try {
    for await (const _ of store.list('')) return 'The manifest is missing, although other objects of the backup exist';
    return 'The destination has no objects of the backup';
  } catch (error) {
    if (error instanceof StorageError) return 'The manifest is missing';
    throw error;
  } finally {
    store.close();
  }
};

/**
 * Without the key in the bucket a backup cannot be read without the service. The key may differ from the record's, because a
 * rewrap updates the bucket first, but it must open to the same data key.
 */
export const checkKeyFile = async (
  tenant: Tenant,
  {
    backup,
    own: { store, dataKey: expected, size },
    deps,
  }: {
    readonly backup: BackupRecord;
    readonly own: ArchiveSource & { readonly size: number | undefined };
    readonly deps: Pick<BackupDeps, 'unlockKeyFile'>;
  },
): Promise<Pick<VerificationFinding, 'problem' | 'message'> | undefined> => {
  try {
    if (size === undefined) return { problem: 'missing', message: 'The key of the backup is missing in the destination' };
    if (size > maxKeyFileBytes) return { problem: 'size', message: `The key has ${size} bytes` };
    const { keyFile = new Uint8Array(), archive, encryption } = backup;
    let stored: Uint8Array = new Uint8Array();
    const readKey = async (from: ObjectStore): Promise<void> => {
      stored = await from.get(keyFileName);
      if (!isSameKey(keyFile, stored)) throw new ArchiveError('key-invalid', 'the key differs from the one on record');
    };
    try {
      await readAgain(store, keyWith(keyFile), readKey);
      return undefined;
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
    }
    const { dataKey } = await deps.unlockKeyFile(tenant, stored, {
      archive,
      likelyKeyId: encryption.keyId,
      onKmsError: throwForeignKmsFailure,
    });
    if (isSameKey(dataKey, expected)) return undefined;
    return { problem: 'corrupt', message: 'The key in the destination belongs to another backup' };
  } catch (error) {
    if (error instanceof JobFailure) return { problem: 'corrupt', message: error.message };
    return toProblem(error);
  }
};

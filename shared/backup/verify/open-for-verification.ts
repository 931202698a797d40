/** Opening a backup that may not be there any more, and saying what of it is not. */

import { keyFileName, manifestName, maxKeyFileBytes } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { readDestination, StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { isSameKey } from '../encryption/data-key.ts';
import { throwForeignKmsFailure } from '../encryption/key-errors.ts';
import type { BackupRecord } from '../model/record.ts';
import { type OpenArchive, openArchive } from '../read/open-archive.ts';
import { toProblem } from './check-object.ts';
import type { Finding, VerificationReport } from './verification-report.ts';

/** Undefined if the backup cannot be opened at all: then the report says why. */
export const openOrReport = async (
  tenant: Tenant,
  backup: BackupRecord,
  deps: BackupDeps,
  report: VerificationReport,
): Promise<OpenArchive | undefined> => {
  try {
    return await openArchive(tenant, backup, undefined, deps);
  } catch (error) {
    if (error instanceof JobFailure) report.add(keyFileName, 'unreadable', error.message);
    else if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND')
      report.add(manifestName, 'unreadable', 'The storage destination is gone');
    else {
      const { problem, message } = toProblem(error);
      report.add(manifestName, problem, problem === 'missing' ? await whatIsLeft(tenant, backup, deps) : message);
    }
    return undefined;
  }
};

/** A backup that was removed as a whole is another thing than one that lost its manifest. */
const whatIsLeft = async (tenant: Tenant, { storageDestination, path }: BackupRecord, deps: BackupDeps): Promise<string> => {
  const store = await deps.openStore(tenant, await readDestination(tenant, storageDestination.id), path);
  try {
    for await (const _ of store.list('')) return 'The manifest is gone, though other objects of the backup are there';
    return 'Nothing of the backup is in the destination';
  } catch (error) {
    if (error instanceof StorageError) return 'The manifest is gone';
    throw error;
  } finally {
    store.close();
  }
};

/**
 * Without its key in the bucket a backup could not be read by whoever has no service. It need not be the one of the record,
 * byte for byte, because the bucket is wrapped anew first; but it must open, and lead to the same data key.
 */
export const checkKeyFile = async (
  tenant: Tenant,
  backup: BackupRecord,
  { store, sourceOf }: OpenArchive,
  size: number | undefined,
  deps: Pick<BackupDeps, 'unlockKeyFile'>,
): Promise<Pick<Finding, 'problem' | 'message'> | undefined> => {
  try {
    if (size === undefined) return { problem: 'missing', message: 'The key of the backup is not in the destination' };
    if (size > maxKeyFileBytes) return { problem: 'size', message: `The key has ${size} bytes` };
    const { keyFile = new Uint8Array(), archive, encryption } = backup;
    // Bytes that came damaged once may come whole the second time.
    if (isSameKey(keyFile, await store.get(keyFileName))) return undefined;
    const stored = await store.get(keyFileName);
    if (isSameKey(keyFile, stored)) return undefined;
    const { dataKey } = await deps.unlockKeyFile(tenant, stored, archive, encryption.keyId, throwForeignKmsFailure);
    if (isSameKey(dataKey, (await sourceOf(archive.backup)).dataKey)) return undefined;
    return { problem: 'corrupt', message: 'The key in the destination is another one than that of the backup' };
  } catch (error) {
    if (error instanceof JobFailure) return { problem: 'corrupt', message: error.message };
    return toProblem(error);
  }
};

/** Opening a backup that may not be there any more, and saying what of it is not. */
import { ArchiveError, keyFileName, manifestName, maxKeyFileBytes, parseKeyFile } from '../archive/index.ts';
import { ApiError } from '../contract/errors.ts';
import { readDestination, StorageError, type Store } from '../destination/index.ts';
import type { Tenant } from '../platform/index.ts';
import type { Engine } from './engine.ts';
import { JobFailure } from './failure.ts';
import { identityOf, type OpenArchive, openArchive } from './open.ts';
import type { BackupRecord } from './record.ts';
import { problemOf } from './verify-object.ts';
import type { Report } from './verify-report.ts';

/** Undefined if the backup cannot be opened at all: then the report says why. */
export const openOrTell = async (
  tenant: Tenant,
  backup: BackupRecord,
  engine: Engine,
  report: Report,
): Promise<OpenArchive | undefined> => {
  try {
    return await openArchive(tenant, backup, undefined, engine);
  } catch (error) {
    if (error instanceof JobFailure) report.add(keyFileName, 'unreadable', error.message);
    else if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND')
      report.add(manifestName, 'unreadable', 'The storage destination is gone');
    else {
      const { problem, message } = problemOf(error);
      report.add(manifestName, problem, problem === 'missing' ? await whatIsLeft(tenant, backup, engine) : message);
    }
    return undefined;
  }
};

/** A backup that was removed as a whole is another thing than one that lost its manifest. */
const whatIsLeft = async (tenant: Tenant, { storageDestination, path }: BackupRecord, engine: Engine): Promise<string> => {
  const store = await engine.openStore(tenant, await readDestination(tenant, storageDestination.id), path);
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
 * byte for byte: where nothing can be overwritten the bucket keeps the key as it was wrapped first.
 */
export const checkKeyFile = async (
  store: Store,
  backup: BackupRecord,
  stored: ReadonlyMap<string, number>,
  report: Report,
): Promise<void> => {
  try {
    const size = stored.get(keyFileName);
    if (size === undefined) return report.add(keyFileName, 'missing', 'The key of the backup is not in the destination');
    if (size > maxKeyFileBytes) return report.add(keyFileName, 'size', `The key has ${size} bytes`);
    const isOwn = async (): Promise<boolean> =>
      backup.keyFile !== undefined && Buffer.compare(await store.get(keyFileName), backup.keyFile) === 0;
    // Bytes that came damaged once may come whole the second time.
    if ((await isOwn()) || (await isOwn())) return;
    const { identity } = parseKeyFile(await store.get(keyFileName));
    const own = identityOf(backup);
    if (identity.organization !== own.organization || identity.project !== own.project || identity.backup !== own.backup)
      throw new ArchiveError('wrong-backup', 'the key belongs to another backup');
  } catch (error) {
    const { problem, message } = problemOf(error);
    report.add(keyFileName, problem, message);
  }
};

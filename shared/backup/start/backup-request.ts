/** Validation and defaults of a requested backup. */
import { ApiError, invalid } from '../../contract/errors.ts';
import { isCollectionPath, scopeOf } from '../../firestore/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';
import { findParentOrReason, type ParentCriteria } from '../incremental/find-parent.ts';
import type { StartBackupOptions } from '../model/start-options.ts';

/** Both lists are stored on the record, and an item has 400 KB in total. */
export const listsMaxBytes = 64 << 10;

/** Checks beyond the request schema: no database has other collections. */
export const assertValidCollections = ({
  collections,
  excludeCollections,
}: Pick<StartBackupOptions, 'collections' | 'excludeCollections'>) => {
  for (const [field, paths] of Object.entries({ collections, excludeCollections })) {
    const wrong = paths.findIndex((path) => path !== '*' && !isCollectionPath(path));
    if (wrong >= 0) throw invalid(`${field}.${wrong}`, 'must be a collection path whose ids have at most 1500 bytes');
  }
  if (Buffer.byteLength(JSON.stringify([collections, excludeCollections])) > listsMaxBytes)
    throw invalid('collections', `must have at most ${listsMaxBytes} bytes together with excludeCollections`);
  if (excludeCollections.includes('*'))
    throw invalid('excludeCollections', 'must not contain *: nothing would be left to back up');
  if (scopeOf(collections, excludeCollections).length === 0)
    throw invalid('excludeCollections', 'must not exclude all of collections');
};

/** The parent of a requested incremental backup. CONFLICT with the reason if there is none. */
export const requireParent = async (tenant: Tenant, project: ProjectRecord, criteria: ParentCriteria): Promise<BackupRecord> => {
  const found = await findParentOrReason(tenant, project, criteria);
  if (typeof found !== 'string') return found;
  throw new ApiError('CONFLICT', `An incremental backup needs a parent: ${found}`, { reason: found });
};

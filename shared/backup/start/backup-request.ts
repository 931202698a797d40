/** What a person may ask a backup to be, and where it goes when they do not say. */
import { ApiError, invalid } from '../../contract/errors.ts';
import { type DestinationRecord, readDestination } from '../../destination/index.ts';
import { isCollectionPath, scopeOf } from '../../firestore/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { findParentOrReason, type ParentCriteria } from '../incremental/find-parent.ts';
import type { BackupRecord } from '../model/record.ts';
import type { StartBackupOptions } from '../model/start-options.ts';

/** Both lists are kept on the record, and an item holds 400 KB with all else. */
export const listsMaxBytes = 64 << 10;

/** Refuses collections that no database can have, beyond what the shape of the request tells. */
export const assertValidCollections = ({
  collections,
  excludeCollections,
}: Pick<StartBackupOptions, 'collections' | 'excludeCollections'>) => {
  for (const [field, paths] of Object.entries({ collections, excludeCollections })) {
    const wrong = paths.findIndex((path) => path !== '*' && !isCollectionPath(path));
    if (wrong >= 0) throw invalid(`${field}.${wrong}`, 'must be the path of a collection; no id in it has more than 1500 bytes');
  }
  if (Buffer.byteLength(JSON.stringify([collections, excludeCollections])) > listsMaxBytes)
    throw invalid('collections', `must have at most ${listsMaxBytes} bytes, together with excludeCollections`);
  if (excludeCollections.includes('*'))
    throw invalid('excludeCollections', 'must name collections; without all of them nothing is left');
  if (scopeOf(collections, excludeCollections).length === 0)
    throw invalid('excludeCollections', 'must leave something of the collections that are to be backed up');
};

/** Where a backup goes that names no destination: to the project's own, else the organization's. One that is gone is not passed over. */
export const defaultDestination = async (
  tenant: Tenant,
  organization: OrganizationRecord,
  project: ProjectRecord,
): Promise<DestinationRecord> => {
  const chosen = project.settings.defaultStorageId ?? organization.defaultStorageId;
  if (chosen === null)
    throw invalid('storageDestinationId', 'is required: neither the project nor the organization has a default');
  return readDestination(tenant, chosen);
};

/** What an incremental backup that a person asks for is compared with; where nothing fits, they are told why. */
export const requireParent = async (tenant: Tenant, project: ProjectRecord, wish: ParentCriteria): Promise<BackupRecord> => {
  const found = await findParentOrReason(tenant, project, wish);
  if (typeof found !== 'string') return found;
  throw new ApiError('CONFLICT', `An incremental backup needs an earlier one to be compared with: ${found}`, { reason: found });
};

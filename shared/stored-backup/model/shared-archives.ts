/** Several records may share the objects of one archive. The objects are deleted with the last of these records. */
import { ApiError } from '../../contract/errors.ts';
import { check, get, type Item, StaleReadError, type Tenant, type Write, walk } from '../../platform/index.ts';
import { assertNotLeaving, notLeaving } from '../../project/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

export interface ArchiveLink extends Item {
  readonly backupId: string;
  /** Where the objects are. Absent while the record of this organization tells it. */
  readonly path?: string;
  /** The organization the record moved to. This organization neither deletes nor imports its objects. */
  readonly movedTo?: string;
  /** The record was deleted or has expired, and its objects are being deleted. */
  readonly isErasing?: boolean;
  /** The destination of those objects. */
  readonly erasingFrom?: string;
}

const archiveLinks = (tenant: Tenant, archiveId: string): AsyncIterable<ArchiveLink> => {
  const { pk, sk: prefix } = backupKey.archive(tenant, archiveId, '');
  return walk<ArchiveLink>({ pk, prefix });
};

/** The first completed backup of this organization that has the archive, wherever its objects are. */
export const findOwner = async (
  tenant: Tenant,
  archiveId: string,
  isWanted: (owner: BackupRecord) => boolean = () => true,
): Promise<BackupRecord | undefined> => {
  for await (const link of archiveLinks(tenant, archiveId)) {
    const record = link.isErasing || link.movedTo !== undefined ? undefined : await get(backupKey.backup(tenant, link.backupId));
    if (record?.status === 'completed' && isWanted(record)) return record;
  }
  return undefined;
};

type Folder = Pick<BackupRecord, 'path' | 'storageDestination'>;

/** Where a reader without the service looks for an archive that the backup at this path depends on. */
export const neighbourPath = (path: string, archiveId: string): string =>
  `${path.slice(0, path.lastIndexOf('/') + 1)}${archiveId}`;

/** The owner whose objects are there. */
export const findNeighbour = (
  tenant: Tenant,
  archiveId: string,
  { path, storageDestination }: Folder,
): Promise<BackupRecord | undefined> =>
  findOwner(
    tenant,
    archiveId,
    (owner) => owner.path === neighbourPath(path, archiveId) && owner.storageDestination.id === storageDestination.id,
  );

/**
 * Finds another record that needs the objects of a backup: one of the same archive at the same path, or the backup itself after
 * it moved to another organization, whose record cannot be read here. A copy at another path has objects of its own.
 */
export const findOtherOwner = async (
  tenant: Tenant,
  { id, archive, path }: Pick<BackupRecord, 'id' | 'archive' | 'path'>,
): Promise<{ readonly record: BackupRecord | undefined } | undefined> => {
  for await (const link of archiveLinks(tenant, archive.backup)) {
    const isHere = link.movedTo === undefined;
    // Two records that are both deleted do not keep each other's objects.
    if (link.isErasing || (isHere && link.backupId === id)) continue;
    const record = isHere ? await get(backupKey.backup(tenant, link.backupId)) : undefined;
    const otherPath = link.path ?? record?.path;
    // An unknown path counts as shared, so that the objects stay.
    if (otherPath === undefined || otherPath === path) return { record };
  }
  return undefined;
};

/**
 * Throws if no record of the archive may be added now; else returns the checks for the transaction that adds one.
 * Call it before reading the archive's objects.
 */
export const assertArchiveShareable = async (tenant: Tenant, archiveId: string, path: string): Promise<readonly Write[]> => {
  let owner: BackupRecord | undefined;
  for await (const link of archiveLinks(tenant, archiveId)) {
    if (link.movedTo !== undefined) throw new ArchiveMovedError();
    if (link.isErasing && link.path === path) throw beingDeleted();
    const record = owner || link.isErasing ? undefined : await get(backupKey.backup(tenant, link.backupId));
    if (record?.path === path) owner = record;
  }
  if (!owner) return [];
  assertNotLeaving(owner);
  if (owner.status !== 'completed')
    throw new ApiError('CONFLICT', `The folder belongs to a backup that is ${owner.status}`, { backupId: owner.id });
  // While this record exists, its objects are not deleted.
  const expected = { status: 'completed', ...notLeaving };
  return [check(backupKey.backup(tenant, owner.id), expected, () => new StaleReadError())];
};

export class ArchiveMovedError extends Error {
  constructor() {
    super('it belongs to another organization now');
    this.name = 'ArchiveMovedError';
  }
}

const beingDeleted = (): ApiError =>
  new ApiError('CONFLICT', 'The backup in this folder was deleted or has expired, and its objects are being deleted');

/** The id of a deleted or expired backup whose objects are still being deleted from the destination. */
export const findErasing = async (tenant: Tenant, destinationId: string): Promise<string | undefined> => {
  const links = { pk: `ORG#${tenant.organizationId}`, prefix: 'ARCHIVE#', where: { erasingFrom: destinationId } };
  for await (const { backupId } of walk<ArchiveLink>(links)) return backupId;
  return undefined;
};

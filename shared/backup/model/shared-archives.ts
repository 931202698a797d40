/** Which records need the objects of an archive: objects that two of them share are removed with the last one, and not before. */
import { ApiError } from '../../contract/errors.ts';
import { get, type Item, StaleReadError, type Tenant, type Write, walk } from '../../platform/index.ts';
import { assertNotLeaving } from '../../project/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

export interface ArchiveLink extends Item {
  readonly backupId: string;
  /** Where the objects are; of a record that is here and not deleted, the record says it. */
  readonly path?: string;
  /** The organization whose record it is now: here nobody removes its objects, and nobody imports them. */
  readonly movedTo?: string;
  /** The record is deleted or has expired, and its objects are being removed. */
  readonly isErasing?: boolean;
}

export const linksOf = (tenant: Tenant, archiveId: string): AsyncIterable<ArchiveLink> => {
  const { pk, sk: prefix } = backupKey.archive(tenant, archiveId, '');
  return walk<Item>({ pk, prefix }) as AsyncIterable<ArchiveLink>;
};

/** The first completed backup here that has the archive, wherever its objects are. */
export const findOwner = async (tenant: Tenant, archiveId: string): Promise<BackupRecord | undefined> => {
  for await (const link of linksOf(tenant, archiveId)) {
    const record = link.isErasing || link.movedTo !== undefined ? undefined : await recordOf(tenant, link);
    if (record?.status === 'completed') return record;
  }
  return undefined;
};

/**
 * Who else needs the objects of a backup: a record of the same archive in the same place, or the backup itself in the
 * organization it has moved to, whose record is not to be had from here. A copy elsewhere has objects of its own.
 */
export const findOtherOwner = async (
  tenant: Tenant,
  { id, archive, path }: Pick<BackupRecord, 'id' | 'archive' | 'path'>,
): Promise<{ readonly record: BackupRecord | undefined } | undefined> => {
  for await (const link of linksOf(tenant, archive.backup)) {
    const isHere = link.movedTo === undefined;
    // Two that are both gone do not keep each other's objects.
    if (link.isErasing || (isHere && link.backupId === id)) continue;
    const record = isHere ? await recordOf(tenant, link) : undefined;
    const place = link.path ?? record?.path;
    // In doubt they stay.
    if (place === undefined || place === path) return { record };
  }
  return undefined;
};

/** What must still be so when a record of the archive is added; throws if it must not be added now. To be asked before its objects are looked at. */
export const assertArchiveShareable = async (tenant: Tenant, archiveId: string, path: string): Promise<readonly Write[]> => {
  let holder: BackupRecord | undefined;
  for await (const link of linksOf(tenant, archiveId)) {
    if (link.movedTo !== undefined) throw new MovedAway();
    if (link.isErasing && link.path === path) throw beingRemoved();
    const record = holder || link.isErasing ? undefined : await recordOf(tenant, link);
    if (record?.path === path) holder = record;
  }
  if (!holder) return [];
  assertNotLeaving(holder);
  if (holder.status !== 'completed')
    throw new ApiError('CONFLICT', `The folder is that of a backup that is ${holder.status}`, { backupId: holder.id });
  // As long as it is there, nobody removes the objects.
  return [
    {
      check: backupKey.backup(tenant, holder.id),
      condition: '#status = :completed AND attribute_not_exists(leaving)',
      names: { '#status': 'status' },
      values: { ':completed': 'completed' },
      onConditionFailed: () => new StaleReadError(),
    },
  ];
};

export class MovedAway extends Error {
  constructor() {
    super('it belongs to another organization now');
    this.name = 'MovedAway';
  }
}

const beingRemoved = (): ApiError =>
  new ApiError('CONFLICT', 'The backup in this folder was deleted or has expired, and its objects are being removed');

const recordOf = async (tenant: Tenant, { backupId }: ArchiveLink): Promise<BackupRecord | undefined> =>
  await get(backupKey.backup(tenant, backupId));

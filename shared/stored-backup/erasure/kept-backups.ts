/** The backups that may hold documents of a project. */
import { get, type Tenant, walk } from '../../platform/index.ts';
import { isInMove } from '../../project/index.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../model/record.ts';
import { sharedObjects } from '../removal/delete-archive-objects.ts';

/** An imported backup belongs to one project and may have been made of another. */
const isOf = ({ projectId, archive }: BackupRecord, wanted: string): boolean =>
  projectId === wanted || archive.project === wanted;

/** Completed backups of a project, newest first, older than `after`. */
export async function* completedBackups(
  tenant: Tenant,
  projectId: string,
  after?: string,
): AsyncGenerator<BackupRecord, void, undefined> {
  const range = {
    pk: `ORG#${tenant.organizationId}`,
    prefix: backupPrefix,
    newestFirst: true,
    where: { status: 'completed' },
    ...(after !== undefined && { after: `${backupPrefix}${after}` }),
  };
  for await (const backup of walk<BackupRecord>(range)) if (isOf(backup, projectId) && !isInMove(backup)) yield backup;
}

/** A backup that was deleted or has expired, but whose objects are still in the bucket. */
export const findRemains = async (tenant: Tenant, projectId: string): Promise<BackupRecord | undefined> => {
  for (const status of ['deleted', 'expired']) {
    const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, where: { status } };
    for await (const backup of walk<BackupRecord>(range))
      if (isOf(backup, projectId) && (await hasObjects(tenant, backup))) return backup;
  }
  return undefined;
};

/** The link is removed with the objects. Objects that another record shares are searched, or remain, with that one. */
const hasObjects = async (tenant: Tenant, { id, archive, objectsKept }: BackupRecord): Promise<boolean> =>
  (objectsKept !== undefined && objectsKept.reason !== sharedObjects) ||
  (await get(backupKey.archive(tenant, archive.backup, id))) !== undefined;

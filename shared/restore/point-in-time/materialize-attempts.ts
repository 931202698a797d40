/** Folders of the attempts to build a point in time, and the deletion of those that were discarded. */

import type { openStore } from '../../destination/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { type ArchiveLocation, deleteArchiveObjects, unstoredObjects } from '../../stored-backup/index.ts';
import type { RestoreRecord } from '../model/record.ts';

/** Each attempt has a folder of its own, so that an abandoned run cannot write into another's. */
export const attemptPath = (path: string, number: number): string => (number === 1 ? path : `${path}-${number}`);

/** An attempt writes one part. */
const attemptUploads = unstoredObjects([{ number: 0, parts: 1 }], []);

/** Folders of attempts that did not become the backup. */
const discardedAttempts = ({ organizationId }: Tenant, restore: RestoreRecord): readonly ArchiveLocation[] => {
  const { point, pointTries = 0, pointMade, backupId: id, projectId } = restore;
  if (!point) return [];
  return Array.from({ length: pointTries }, (_, n) => n + 1)
    .filter((number) => number !== pointMade)
    .map((number) => ({
      id,
      archive: { organization: organizationId, project: projectId, backup: id },
      path: attemptPath(point.path, number),
      storageDestination: point.storageDestination,
    }));
};

export const deleteDiscardedAttempts = async (tenant: Tenant, restore: RestoreRecord, open: typeof openStore): Promise<void> => {
  for (const attempt of discardedAttempts(tenant, restore))
    await deleteArchiveObjects(tenant, attempt, { openStore: open, uploads: attemptUploads });
};

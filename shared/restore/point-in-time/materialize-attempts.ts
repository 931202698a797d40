/** Where the tries to make a moment put their objects, and how those go that were not kept. */
import { type ArchiveLocation, deleteArchiveObjects } from '../../backup/index.ts';
import type { openStore } from '../../destination/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { RestoreRecord } from '../model/record.ts';

/** A run that was given up and wakes again writes into nobody's folder but its own. */
export const attemptPath = (path: string, number: number): string => (number === 1 ? path : `${path}-${number}`);

/** What lies in the folders of tries that became no backup. */
export const strayTries = ({ organizationId }: Tenant, restore: RestoreRecord): readonly ArchiveLocation[] => {
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
  for (const stray of strayTries(tenant, restore)) await deleteArchiveObjects(tenant, stray, open);
};

import type { ElementOf, InputOf } from '../../../../shared/client/index.ts';

/** The request that makes the same backup again. */
export const repeatOf = (backup: ElementOf<'GET /backups'>): InputOf<'POST /backups'>['body'] => ({
  projectId: backup.projectId,
  type: backup.type,
  collections: backup.collections,
  excludeCollections: backup.excludedCollections,
  storageDestinationId: backup.storageDestination.id,
  ...(backup.authUsers !== undefined && { includeAuthUsers: true }),
  ...(backup.retention !== undefined && { retention: backup.retention }),
});

/** The schedule whose retention policy the backup had: a single request can only name days. */
export const scheduleToRepeat = ({ scheduleId, retentionPolicy }: ElementOf<'GET /backups'>): string | undefined =>
  retentionPolicy === undefined ? undefined : (scheduleId ?? undefined);

/** Starts a job that only builds the backup of a moment, as a restore test or an export reads it. */
import { readDestination } from '../../destination/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { type ArchiveDeps, currentEncryption, readEncryption } from '../../stored-backup/index.ts';
import { assertRestoreCapacity } from '../model/assert-restore-capacity.ts';
import type { RestoreRecord } from '../model/record.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { readPointRequest, withKnownCollections } from '../point-in-time/point-request.ts';
import { startRestore } from './start-restore.ts';

interface PointBuild {
  readonly projectId: string;
  readonly pointInTime: string;
  /** Everything must be proven for these; the backup has all that is. */
  readonly collections: readonly string[];
  readonly createdBy: StartRestoreOptions['createdBy'];
  readonly now: Date;
  readonly deps: ArchiveDeps;
}

/** A dry run into the project itself, which reads no document. The commit throws JOB_IN_PROGRESS while the project has a job. */
export const buildPointBackup = async (
  tenant: Tenant,
  { projectId, pointInTime, collections, createdBy, now, deps }: PointBuild,
): Promise<{ readonly restore: RestoreRecord; readonly writes: readonly Write[] }> => {
  await assertRestoreCapacity(tenant);
  const scope = { collections, documents: undefined, includeSubcollections: true, allowPartial: false };
  const requested = await readPointRequest(tenant, { projectId, pointInTime, scope, now });
  const { point } = await withKnownCollections(tenant, requested.pointRequest, deps);
  const target = await readProject(tenant, projectId);
  const destination = await readDestination(tenant, point.storageDestination.id);
  const encryption = currentEncryption(await readEncryption(tenant));
  const options: StartRestoreOptions = {
    mergeMode: 'overwrite',
    dryRun: true,
    buildsOnly: true,
    collections: ['*'],
    includeSubcollections: true,
    includeAuthUsers: false,
    safetyBackup: true,
    createdBy,
  };
  return startRestore(
    { tenant, backup: requested.backup, project: target, target, destination, encryption, point },
    options,
    now,
  );
};

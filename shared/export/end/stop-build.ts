/** Cancels the job that builds the backup of a moment, once the export it was started for has ended: its project is free for others then. */
import { systemAudit } from '../../audit/index.ts';
import { organizationKey } from '../../organization/index.ts';
import { type Clock, commit, get, isConflict, type Tenant } from '../../platform/index.ts';
import { cancelRestore, restoreKey } from '../../restore/index.ts';
import type { ExportRecord } from '../model/record.ts';

const actor = { type: 'system', id: 'export-engine', email: null } as const;

/** Idempotent: a job that has ended stays as it is. One that ends at the same moment needs no cancellation. */
export const stopBuild = async (
  tenant: Tenant,
  { backupId, buildJobId }: Pick<ExportRecord, 'backupId' | 'buildJobId'>,
  clock: Clock,
): Promise<void> => {
  // With a backup, the job has completed.
  if (backupId !== null || buildJobId === undefined) return;
  const [job, organization] = await Promise.all([
    get(restoreKey.restore(tenant, buildJobId)),
    get(organizationKey.organization(tenant)),
  ]);
  if (!organization || (job?.status !== 'pending' && job?.status !== 'running')) return;
  const now = clock.now();
  try {
    const caller = { tenant, organization, actor } as Parameters<typeof cancelRestore>[0];
    const { change } = await cancelRestore(caller, job.id, now);
    const entries = change.audit.map((note) => systemAudit(actor.id, { action: 'restore.cancelled', note, now }));
    await commit([...change.writes, ...entries]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};

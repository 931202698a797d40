import { assertOrganizationActive } from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { commit, getAll, isConflict, iso, set, type Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { restoreAudit } from '../model/restore-audit.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { emitRestoreEvent } from '../model/restore-events.ts';
import { restoreEvent } from '../model/restore-view.ts';
import type { RestoreDeps } from '../restore-deps.ts';

/** A restore that waits begins to run: told to subscribers and to the auditor in the same transaction, before anything is done. */
export const beginRestore = async (
  tenant: Tenant,
  restoreJobId: string,
  { clock }: RestoreDeps,
  ofAttempt?: number,
): Promise<void> => {
  const key = restoreKey.restore(tenant, restoreJobId);
  const [found, organization] = await getAll([key, organizationKey.organization(tenant)]);
  const restore = found as RestoreRecord | undefined;
  if (restore?.status !== 'pending' || restore.attempt !== (ofAttempt ?? restore.attempt)) return;
  const parties = await loadRestoreContext(tenant, restore, assertOrganizationActive(organization as OrganizationRecord | undefined));
  const now = clock.now();
  const { id, attempt, targetProjectId, mergeMode, dryRun, safetyBackup, collections } = restore;
  const begun = { status: 'running', startedAt: restore.startedAt ?? iso(now) } as const;
  try {
    await commit([
      set(key, begun, { expected: { status: 'pending', attempt } }),
      // Without the target's lock there is nothing to begin.
      { check: projectKey.job(tenant, targetProjectId), condition: 'jobId = :jobId', values: { ':jobId': id } },
      ...emitRestoreEvent(tenant, restore, 'restore.started', restoreEvent({ ...restore, ...begun }, parties, parties.organization), now),
      restoreAudit(tenant, 'restore.started', restore, { attempt, mergeMode, dryRun, safetyBackup, collections }, now),
    ]);
  } catch (error) {
    // Another run has begun it, or it was cancelled: the next look tells.
    if (!isConflict(error)) throw error;
  }
};

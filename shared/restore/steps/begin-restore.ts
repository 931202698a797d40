import { assertOrganizationActive } from '../../job/index.ts';
import { organizationKey } from '../../organization/index.ts';
import { check, commit, getAll, isConflict, iso, set } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { emitRestoreEvent } from '../model/emit-restore-event.ts';
import { restoreKey } from '../model/record.ts';
import { restoreAudit } from '../model/restore-audit.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import type { RestoreAttempt } from '../model/running-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';

export const beginRestore = async (step: RestoreAttempt, { clock }: RestoreDeps): Promise<void> => {
  const { tenant, restoreJobId } = step;
  const key = restoreKey.restore(tenant, restoreJobId);
  const [restore, organization] = await getAll([key, organizationKey.organization(tenant)]);
  if (restore?.status !== 'pending' || restore.attempt !== step.attempt) return;
  const context = await loadRestoreContext(tenant, restore, assertOrganizationActive(organization));
  const now = clock.now();
  const { id, attempt, targetProjectId, mergeMode, dryRun, safetyBackup, collections, transform } = restore;
  const masking = transform && { transform: { rules: transform.rules.length } };
  const details = { attempt, mergeMode, dryRun, safetyBackup, collections, ...masking };
  const begun = { status: 'running', startedAt: restore.startedAt ?? iso(now) } as const;
  try {
    await commit([
      set(key, begun, { expected: { status: 'pending', attempt } }),
      check(projectKey.job(tenant, targetProjectId), { jobId: id }),
      ...emitRestoreEvent(context, { ...restore, ...begun }, { name: 'restore.started', now }),
      restoreAudit(tenant, { action: 'restore.started', restore, details, now }),
    ]);
  } catch (error) {
    // Another run has begun it, or it was cancelled; the caller re-reads the record.
    if (!isConflict(error)) throw error;
  }
};

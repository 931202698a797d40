/** Limits of what one organization runs at once, because all organizations share the functions. */
import { ApiError } from '../../contract/errors.ts';
import { runningBackupsMax, runningVerificationsMax } from '../../contract/limits.ts';
import { assertJobCapacity, runningItemsMax } from '../../job/index.ts';
import { after, epochSeconds, iso, query, type Tenant, type Write } from '../../platform/index.ts';
import { backupKey, type RunningRecord, runningPartition, verifyingPrefix } from './record.ts';

/** JOB_IN_PROGRESS once the organization's limit of pending and running backups is reached. */
export const assertBackupCapacity = async (tenant: Tenant): Promise<void> => {
  const range = { pk: runningPartition, prefix: `${tenant.organizationId}#`, limit: runningItemsMax };
  const { items } = await query<RunningRecord>(range);
  const keys = items.map(({ backupId }) => backupKey.backup(tenant, backupId));
  await assertJobCapacity(keys, { kind: 'backups', max: runningBackupsMax });
};

/** The workflow of a verification ends by then; one that seems to run for longer has died. */
export const verificationSeconds = 25 * 3_600;

/** CONFLICT once the organization's limit of running verifications is reached. */
export const assertVerificationCapacity = async (tenant: Tenant, now: Date): Promise<void> => {
  const { items } = await query({ pk: `ORG#${tenant.organizationId}`, prefix: verifyingPrefix, limit: runningItemsMax });
  const running = items.filter(({ since }) => String(since) > iso(after(now, -verificationSeconds))).length;
  if (running < runningVerificationsMax) return;
  throw new ApiError(
    'CONFLICT',
    `An organization can run at most ${runningVerificationsMax} verifications at once. Start this one when another has ended`,
    { running, most: runningVerificationsMax },
  );
};

export const addRunningVerification = (tenant: Tenant, backupId: string, now: Date): Write => ({
  put: {
    ...backupKey.verifying(tenant, backupId),
    backupId,
    since: iso(now),
    ttl: epochSeconds(after(now, verificationSeconds)),
  },
});

export const removeRunningVerification = (tenant: Tenant, backupId: string): Write => ({
  remove: backupKey.verifying(tenant, backupId),
});

/** The limit of verifications that one organization runs at once. */
import { ApiError } from '../../contract/errors.ts';
import { runningItemsMax } from '../../job/index.ts';
import { after, epochSeconds, iso, organizationLimit, query, type Tenant, type Write } from '../../platform/index.ts';
import { backupKey, verifyingPrefix } from './record.ts';

/** The workflow of a verification ends by then; one that seems to run for longer has died. */
export const verificationSeconds = 25 * 3_600;

/** CONFLICT once the organization's limit of running verifications is reached. */
export const assertVerificationCapacity = async (tenant: Tenant, now: Date): Promise<void> => {
  const running = await countRunningVerifications(tenant, now);
  const most = organizationLimit('concurrentVerifications');
  if (running < most) return;
  throw new ApiError(
    'CONFLICT',
    `An organization can run at most ${most} verifications at once. Start this one when another has ended`,
    { running, most },
  );
};

export const countRunningVerifications = async (tenant: Tenant, now: Date): Promise<number> => {
  const { items } = await query({ pk: `ORG#${tenant.organizationId}`, prefix: verifyingPrefix, limit: runningItemsMax });
  return items.filter(({ since }) => String(since) > iso(after(now, -verificationSeconds))).length;
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

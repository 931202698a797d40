/** How much one organization may have under way at once: what it runs takes functions that all organizations share. */
import { ApiError } from '../../contract/errors.ts';
import { runningBackupsMax, runningVerificationsMax } from '../../contract/limits.ts';
import { after, epochSeconds, getAll, iso, query, type Tenant, type Write } from '../../platform/index.ts';
import { type BackupRecord, backupKey, runningPartition, verifyingPrefix } from './record.ts';

/** JOB_IN_PROGRESS once enough of them wait or run. Two that begin at the same moment may both be let in. */
export const assertBackupCapacity = async (tenant: Tenant): Promise<void> => {
  const { organizationId } = tenant;
  // Those that have ended and are being cleaned up after are noted, too, and do not count.
  const { items } = await query({ pk: runningPartition, prefix: `${organizationId}#`, limit: notedMax });
  if (items.length < runningBackupsMax) return;
  const found = await getAll(items.map(({ backupId }) => backupKey.backup(tenant, String(backupId))));
  const running = found.filter((backup) => ['pending', 'running'].includes((backup as BackupRecord | undefined)?.status ?? ''));
  if (running.length < runningBackupsMax && items.length < notedMax) return;
  throw new ApiError(
    'JOB_IN_PROGRESS',
    `At most ${runningBackupsMax} backups of an organization run at once; start this one when another has ended`,
    { running: running.length, most: runningBackupsMax },
  );
};

/** As many as one read takes. */
const notedMax = 100;

/** The workflow of a verification ends by then; one that says it runs for longer has died. */
export const verificationSeconds = 25 * 3_600;

/** CONFLICT once enough verifications run. */
export const assertVerificationCapacity = async (tenant: Tenant, now: Date): Promise<void> => {
  const { items } = await query({ pk: `ORG#${tenant.organizationId}`, prefix: verifyingPrefix, limit: notedMax });
  const running = items.filter(({ since }) => String(since) > iso(after(now, -verificationSeconds))).length;
  if (running < runningVerificationsMax) return;
  throw new ApiError(
    'CONFLICT',
    `At most ${runningVerificationsMax} verifications of an organization run at once; start this one when another has ended`,
    { running, most: runningVerificationsMax },
  );
};

/** Belongs in the transaction that starts a verification. */
export const addRunningVerification = (tenant: Tenant, backupId: string, now: Date): Write => ({
  put: {
    ...backupKey.verifying(tenant, backupId),
    backupId,
    since: iso(now),
    ttl: epochSeconds(after(now, verificationSeconds)),
  },
});

/** Belongs in the transaction that ends it, or its backup. */
export const removeRunningVerification = (tenant: Tenant, backupId: string): Write => ({
  remove: backupKey.verifying(tenant, backupId),
});

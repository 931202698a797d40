/** One step of a purge: deletes what it can within its time and returns whether it is done. */
import * as z from 'zod/mini';
import { purgeAlerts } from '../../shared/alert/index.ts';
import { id } from '../../shared/contract/fields.ts';
import { roundSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { purgeExports } from '../../shared/export/index.ts';
import { stepHandler } from '../../shared/job/index.ts';
import type { OrganizationRecord } from '../../shared/organization/index.ts';
import { purgeOrganization } from '../../shared/organization-deletion/index.ts';
import { purgeCaptures } from '../../shared/pitr/index.ts';
import { after, clock, log } from '../../shared/platform/index.ts';
import { purgeRestores } from '../../shared/restore/index.ts';
import { purgeRestoreTests } from '../../shared/restore-test/index.ts';
import { purgeSchedules } from '../../shared/schedule/index.ts';
import { purgeBackups } from '../../shared/stored-backup/index.ts';
import { purgeDeliveries, waitForFinalDelivery } from '../../shared/webhook/index.ts';

const Step = z.object({ organizationId: id('organization'), deleteBackupData: z.boolean(), done: z.boolean() });
type Step = z.output<typeof Step>;

/** How long an unreachable bucket is retried before the organization is purged without it. */
const patienceSeconds = 24 * 3_600;

export const handler = stepHandler(Step, async (tenant, step): Promise<Step> => {
  const until = after(clock.now(), roundSeconds.purge);
  const jobs = async ({ deletedAt = '', recoveryDeadline = deletedAt }: OrganizationRecord): Promise<boolean> => {
    const isPatient = clock.now() < after(new Date(recoveryDeadline), patienceSeconds);
    const options = { deleteBackupData: step.deleteBackupData, isPatient };
    // The order matters: the deletion event is delivered before its webhooks are deleted, and a restore ends before the backup
    // that it reads is deleted.
    return (
      (await waitForFinalDelivery(tenant, { deletedAt: new Date(deletedAt), until, time: clock })) &&
      (await purgeSchedules(tenant, { until, time: clock })) &&
      (await purgeRestoreTests(tenant, { until, time: clock })) &&
      (await purgeDeliveries(tenant, until, clock)) &&
      (await purgeAlerts(tenant, until, clock)) &&
      (await purgeExports(tenant, { ...options, deadline: until, clock })) &&
      (await purgeRestores(tenant, { ...options, deadline: until, clock })) &&
      (await purgeCaptures(tenant, { ...options, deadline: { at: until, clock } })) &&
      purgeBackups(tenant, { ...options, deadline: until, clock })
    );
  };
  const done = await purgeOrganization(step.organizationId, { until, time: clock, purgeElsewhere: jobs });
  log.info('purge step finished', { organizationId: step.organizationId, done });
  return { ...step, done };
});

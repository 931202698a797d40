/** A step of the purge: removes what it can in its time, and says whether it is done. */
import * as z from 'zod';
import { purgeBackups } from '../../shared/backup/index.ts';
import { id } from '../../shared/contract/fields.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { type OrganizationRecord, purgeOrganization } from '../../shared/organization/index.ts';
import { purgeCaptures } from '../../shared/pitr/index.ts';
import { after, clock, lambdaHandler, log, unsafeTenant } from '../../shared/platform/index.ts';
import { purgeRestores } from '../../shared/restore/index.ts';
import { purgeSchedules } from '../../shared/schedule/index.ts';
import { purgeDeliveries, waitForFinalDelivery } from '../../shared/webhook/index.ts';

const Step = z.object({ organizationId: id('organization'), deleteBackupData: z.boolean(), done: z.boolean() });
type Step = z.output<typeof Step>;

/** Half its time: what is begun then has the other half to end. */
const workSeconds = workers.purge.timeoutSeconds / 2;

/** How long a bucket that does not answer is asked again; an organization must not stay for its sake. */
const patienceSeconds = 24 * 3_600;

export const handler = lambdaHandler(async (input: unknown): Promise<Step> => {
  const step = Step.parse(input);
  const until = after(clock.now(), workSeconds);
  const jobs = async ({ id, deletedAt = '', recoveryDeadline = deletedAt }: OrganizationRecord): Promise<boolean> => {
    const isPatient = clock.now() < after(new Date(recoveryDeadline), patienceSeconds);
    const wish = { deleteBackupData: step.deleteBackupData, isPatient };
    const tenant = unsafeTenant(id, 'record');
    // In this order: the deletion is told before nobody can be told any more, and what is being restored ends before the
    // backup that it reads goes.
    return (
      (await waitForFinalDelivery(tenant, new Date(deletedAt), until, clock)) &&
      (await purgeSchedules(tenant, until, clock)) &&
      (await purgeDeliveries(tenant, until, clock)) &&
      (await purgeRestores(tenant, wish, until, clock)) &&
      (await purgeCaptures(tenant, wish, until, clock)) &&
      purgeBackups(tenant, { ...wish, deadline: until, clock })
    );
  };
  const done = await purgeOrganization(step.organizationId, until, clock, jobs);
  log.info('purged a part', { organizationId: step.organizationId, done });
  return { ...step, done };
});

/** Checks a part of a backup where it lies; its answer is the input of the run that goes on. */
import { backupDeps, giveUpVerification, VerifyStep, verifyBackup } from '../../shared/backup/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

/** Half its time: the object that is begun then has the other half, in which 45 GB are read. */
const workSeconds = workers.backupVerify.timeoutSeconds / 2;

export const handler = lambdaHandler(async (input: unknown): Promise<VerifyStep> => {
  const { organizationId, backupId, position, error } = VerifyStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  if (error !== undefined) {
    await giveUpVerification(tenant, backupId, position, clock);
    return { organizationId, backupId, position, done: true };
  }
  const next = await verifyBackup(tenant, backupId, position, after(clock.now(), workSeconds), backupDeps);
  return { organizationId, backupId, position: next ?? null, done: next === undefined };
});

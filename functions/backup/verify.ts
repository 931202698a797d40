/** Verifies a part of a backup in its bucket; its output is the input of the next run. */
import { backupDeps, giveUpVerification, VerifyStep, verifyBackup } from '../../shared/backup/index.ts';
import { roundSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<VerifyStep> => {
  const { organizationId, backupId, position, error } = VerifyStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  if (error !== undefined) {
    await giveUpVerification(tenant, backupId, position, clock);
    return { organizationId, backupId, position, done: true };
  }
  const next = await verifyBackup(tenant, backupId, position, after(clock.now(), roundSeconds.backupVerify), backupDeps);
  return { organizationId, backupId, position: next ?? null, done: next === undefined };
});

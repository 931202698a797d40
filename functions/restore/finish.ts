/** Accounts for every document of the plan, and ends the restore. */
import { bestEffort, proveTenant } from '../../shared/platform/index.ts';
import {
  answerStep,
  cleaningEngine,
  cleanUpRestore,
  finishRestore,
  RestoreStep,
  restoreEngine,
} from '../../shared/restore/index.ts';

export const handler = async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, restoreJobId } = RestoreStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const done = await answerStep(tenant, restoreJobId, async () => {
    await finishRestore(tenant, restoreJobId, restoreEngine);
    return true;
  });
  // A destination that does not answer now is asked again by the reaper.
  if (done) await bestEffort(`clean up after ${restoreJobId}`, cleanUpRestore(tenant, restoreJobId, cleaningEngine));
  return { failed: done === undefined };
};

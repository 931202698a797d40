/** A step of the purge: removes what it can in its time, and says whether it is done. */
import * as z from 'zod';
import { id } from '../../shared/contract/fields.ts';
import { workers } from '../../shared/contract/workers.ts';
import { purgeOrganization } from '../../shared/organization/index.ts';
import { after, clock, log } from '../../shared/platform/index.ts';

const Step = z.object({ organizationId: id('organization'), deleteBackupData: z.boolean(), done: z.boolean() });
type Step = z.output<typeof Step>;

/** Half its time: what is begun then has the other half to end. */
const workSeconds = workers.purge.timeoutSeconds / 2;

export const handler = async (input: unknown): Promise<Step> => {
  const step = Step.parse(input);
  const done = await purgeOrganization(step.organizationId, after(clock.now(), workSeconds), clock);
  log.info('purged a part', { organizationId: step.organizationId, done });
  return { ...step, done };
};

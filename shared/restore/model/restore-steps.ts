/** How the steps of a restore's workflow run, and what they are given. */
import * as z from 'zod';
import { id } from '../../contract/fields.ts';
import { answerStep as answerJobStep, type Reason } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { restoreKey } from './record.ts';

/** What the workflow hands to its steps: ids, and which attempt it is. */
export const RestoreStep = z.object({
  organizationId: id('organization'),
  restoreJobId: id('restore'),
  attempt: z.int().min(1),
});
/** A shard is worked off in as many runs as it takes: what one answers is what the next is given. */
export const RestoreShardStep = RestoreStep.extend({ shard: z.int().min(0), done: z.boolean().default(false) });
export type RestoreShardStep = z.output<typeof RestoreShardStep>;
/** With what ended the steps before, in the words of Step Functions. */
export const RestoreFailStep = RestoreStep.extend({ error: z.object({ Error: z.string().optional() }).optional() });

/** Undefined for what has failed for good, which then stands on the record and is no error of the function. */
export const answerStep = <T>(
  tenant: Tenant,
  restoreJobId: string,
  work: () => Promise<T>,
  attempt?: number,
): Promise<T | undefined> =>
  answerJobStep(
    {
      id: restoreJobId,
      attempt,
      key: restoreKey.restore(tenant, restoreJobId),
      task: 'restore the backup',
      storage: 'STORAGE_READ_ERROR',
    },
    work,
  );

export const internalError: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not restore the backup' };

/** Inputs of the workflow's steps, and how a step reports its failure. */
import * as z from 'zod/mini';
import { id } from '../../contract/fields.ts';
import { answerStep, type Reason } from '../../job/index.ts';
import { type Clock, clock } from '../../platform/index.ts';
import { restoreKey } from '../model/record.ts';
import { type FailedStep, recordStepWait } from './record-step-wait.ts';
import { reportCorruption } from './report-corruption.ts';

export const RestoreStep = z.object({
  organizationId: id('organization'),
  restoreJobId: id('restore'),
  attempt: z.int().check(z.minimum(1)),
});
/** `error` is what Step Functions reports of the failed step. */
export const RestoreFailStep = z.extend(RestoreStep, { error: z.optional(z.object({ Error: z.optional(z.string()) })) });

/** A shard takes as many runs as it needs: the output of one run is the input of the next. */
export const RestoreShardStep = z.extend(RestoreStep, {
  shard: z.int().check(z.minimum(0)),
  done: z._default(z.boolean(), false),
});
export type RestoreShardStep = z.output<typeof RestoreShardStep>;

/** Undefined after a permanent failure, which is then on the record. */
export const answerRestoreStep = <T>(step: FailedStep, work: () => Promise<T>, time: Clock = clock): Promise<T | undefined> => {
  const { tenant, restoreJobId: id, attempt } = step;
  const key = restoreKey.restore(tenant, id);
  const onTransient = (error: unknown) => recordStepWait(step, error, time.now());
  const telling = (): Promise<T> =>
    work().catch(async (error: unknown) => {
      await reportCorruption(step, error, time.now());
      throw error;
    });
  return answerStep({ id, attempt, key, task: 'restore the backup', storage: 'STORAGE_READ_ERROR', onTransient }, telling);
};

export const internalError: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not restore the backup' };

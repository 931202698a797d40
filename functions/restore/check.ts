/** Checks one shard of the backup against the target until its time is up; its output is the input of the next run. */
import type { Context } from 'aws-lambda';
import { reserveSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, checkShard, RestoreShardStep, restoreDeps } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(
  async (input: unknown, context: Context): Promise<RestoreShardStep & { failed: boolean }> => {
    const step = RestoreShardStep.parse(input);
    const tenant = unsafeTenant(step.organizationId, 'record');
    const handOver = after(clock.now(), context.getRemainingTimeInMillis() / 1_000 - reserveSeconds.restoreCheck);
    const attempt = { tenant, restoreJobId: step.restoreJobId, attempt: step.attempt };
    const done = await answerStep(attempt, () => checkShard({ ...attempt, shard: step.shard, handOver }, restoreDeps));
    return { ...step, done: done ?? false, failed: done === undefined };
  },
);

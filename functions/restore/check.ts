/** Checks one shard of the backup against the target, as far as its time reaches; its answer is the input of the run that goes on. */
import type { Context } from 'aws-lambda';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, checkShard, RestoreShardStep, restoreDeps } from '../../shared/restore/index.ts';

/** Kept back of its time: to store what was saved and to write it down. */
const reserveSeconds = 150;

export const handler = lambdaHandler(
  async (input: unknown, context: Context): Promise<RestoreShardStep & { failed: boolean }> => {
    const step = RestoreShardStep.parse(input);
    const { organizationId, restoreJobId, attempt, shard } = step;
    const tenant = unsafeTenant(organizationId, 'record');
    const handOver = after(clock.now(), context.getRemainingTimeInMillis() / 1_000 - reserveSeconds);
    const work = () => checkShard(tenant, restoreJobId, shard, handOver, restoreDeps, attempt);
    const done = await answerStep(tenant, restoreJobId, work, attempt);
    return { ...step, done: done ?? false, failed: done === undefined };
  },
);

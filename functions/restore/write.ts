/** Writes one shard of the plan, as far as its time reaches; its answer is the input of the run that goes on. */
import type { Context } from 'aws-lambda';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, RestoreShardStep, restoreDeps, writeShard } from '../../shared/restore/index.ts';

/** Kept back of its time: for what is under way to be answered, and to write it down. */
const reserveSeconds = 60;

export const handler = lambdaHandler(
  async (input: unknown, context: Context): Promise<RestoreShardStep & { failed: boolean }> => {
    const step = RestoreShardStep.parse(input);
    const { organizationId, restoreJobId, attempt, shard } = step;
    const tenant = unsafeTenant(organizationId, 'record');
    const handOver = after(clock.now(), context.getRemainingTimeInMillis() / 1_000 - reserveSeconds);
    const work = () => writeShard(tenant, restoreJobId, shard, handOver, restoreDeps, attempt);
    const done = await answerStep(tenant, restoreJobId, work, attempt);
    return { ...step, done: done ?? false, failed: done === undefined };
  },
);

/** Copies one shard until it is done or the time is over; its output is the input of the next run. */
import type { Context } from 'aws-lambda';
import { answerStep, backupDeps, CopyStep, copyShard } from '../../shared/backup/index.ts';
import { reserveSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown, context: Context): Promise<CopyStep & { failed: boolean }> => {
  const step = CopyStep.parse(input);
  const { organizationId, backupId, shard } = step;
  const tenant = unsafeTenant(organizationId, 'record');
  const handOver = after(clock.now(), context.getRemainingTimeInMillis() / 1_000 - reserveSeconds.backupCopy);
  const done = await answerStep(tenant, backupId, () => copyShard(tenant, backupId, shard, handOver, backupDeps));
  return { ...step, done: done ?? false, failed: done === undefined };
});

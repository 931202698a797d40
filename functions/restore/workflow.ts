/** The steps of the workflow of a restore, and its reaper. They share one bundle. */
import { reserveSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { jobWorkflow, reapRunningJobs, stepHandler } from '../../shared/job/index.ts';
import { after, bestEffort, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import {
  answerRestoreStep,
  checkShard,
  cleanUpDeps,
  cleanUpRestore,
  failRestore,
  failureReason,
  finishRestore,
  prepareRestore,
  RestoreFailStep,
  RestoreShardStep,
  RestoreStep,
  restoreDeps,
  restoreJobs,
  sealJournal,
  writeShard,
} from '../../shared/restore/index.ts';

/** Begins a restore, and returns the numbers of its shards. */
export const prepare = stepHandler(RestoreStep, async (tenant, { restoreJobId, attempt }) => {
  const step = { tenant, restoreJobId, attempt };
  const plan = await answerRestoreStep(step, () => prepareRestore(step, restoreDeps));
  return { shards: plan?.shards ?? [], failed: plan === undefined };
});

/** Checks one shard of the backup against the target until its time is up; its output is the input of the next run. */
export const check = stepHandler(RestoreShardStep, async (tenant, step, context) => {
  const { restoreJobId, attempt, shard } = step;
  const handOver = after(clock.now(), context.getRemainingTimeInMillis() / 1_000 - reserveSeconds.restoreCheck);
  const run = { tenant, restoreJobId, attempt, shard, handOver };
  const done = await answerRestoreStep(run, () => checkShard(run, restoreDeps));
  return { ...step, done: done ?? false, failed: done === undefined };
});

/** Seals the journal, and returns whether there is anything to write. */
export const seal = stepHandler(RestoreStep, async (tenant, { restoreJobId, attempt }) => {
  const step = { tenant, restoreJobId, attempt };
  const sealed = await answerRestoreStep(step, () => sealJournal(step, restoreDeps));
  return { writes: sealed?.writes ?? false, failed: sealed === undefined };
});

/** Writes one shard of the plan until its time is up; its output is the input of the next run. */
export const write = stepHandler(RestoreShardStep, async (tenant, step, context) => {
  const { restoreJobId, attempt, shard } = step;
  const handOver = after(clock.now(), context.getRemainingTimeInMillis() / 1_000 - reserveSeconds.restoreWrite);
  const run = { tenant, restoreJobId, attempt, shard, handOver };
  const done = await answerRestoreStep(run, () => writeShard(run, restoreDeps));
  return { ...step, done: done ?? false, failed: done === undefined };
});

/** Accounts for every document of the plan, and completes the restore. */
export const finish = stepHandler(RestoreStep, async (tenant, { restoreJobId, attempt }) => {
  const step = { tenant, restoreJobId, attempt };
  const done = await answerRestoreStep(step, async () => {
    await finishRestore(step, cleanUpDeps);
    return true;
  });
  return { failed: done === undefined };
});

/** Fails a restore whose workflow cannot continue; a restore that has already ended is only cleaned up. */
export const fail = stepHandler(RestoreFailStep, async (tenant, { restoreJobId, attempt, error }) => {
  const now = clock.now();
  await failRestore({ tenant, restoreJobId, attempt, reasonOf: (restore) => failureReason(restore, error), now });
  // The reaper retries a destination that does not answer.
  await bestEffort(
    `clean up after ${restoreJobId}`,
    cleanUpRestore(tenant, { restoreJobId, deps: cleanUpDeps, options: { attempt } }),
  );
});

/** Every few minutes: fails or cleans up the restores whose workflow no longer runs. */
export const reap = lambdaHandler(() =>
  reapRunningJobs(restoreJobs(cleanUpDeps, jobWorkflow('RESTORE_WORKFLOW_ARN')), ({ organizationId }) =>
    unsafeTenant(organizationId, 'record'),
  ),
);

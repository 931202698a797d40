/** The steps of the workflow of an export, and its reaper. They share one bundle. */
import { pauseAfter } from '../../shared/contract/runtime/wait-pauses.ts';
import {
  advanceExport,
  answerExportStep,
  cleanUpExport,
  ExportShardStep,
  ExportStep,
  exportCleanUpDeps,
  exportDeps,
  exportJobs,
  exportShard,
  isStaleStep,
} from '../../shared/export/index.ts';
import { jobWorkflow, reapRunningJobs, stepHandler } from '../../shared/job/index.ts';
import { after, bestEffort, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

/** Short phases follow each other in one step. */
const roundSeconds = 600;

/** Continues an export until it waits, its ranges are to be handled, or it has ended. */
export const run = stepHandler(ExportStep, async (tenant, { exportId, attempt, plan, error }) => {
  const step = { tenant, exportId, attempt };
  const until = after(clock.now(), roundSeconds);
  for (let given = error, hasMoved = false; ; hasMoved = true, given = undefined) {
    const progress = await answerExportStep(step, () =>
      advanceExport(step, { error: given, deps: exportDeps }).catch((failed: unknown) => {
        if (isStaleStep(failed)) return 'again' as const;
        throw failed;
      }),
    );
    // A recorded failure ends the export in the next round.
    if ((progress === undefined || progress === 'again') && clock.now() < until) continue;
    if (progress === undefined || progress === 'again') return { done: false };
    if (progress === 'wait') {
      const waited = hasMoved ? 0 : (plan?.waitedSeconds ?? 0);
      const pauseSeconds = pauseAfter(waited);
      return { done: false, pauseSeconds, waitedSeconds: waited + pauseSeconds };
    }
    if (progress !== 'done') return { done: false, maps: true, shards: Array.from({ length: progress.map }, (_, n) => n) };
    // The reaper retries a destination that does not answer.
    await bestEffort(`clean up after ${exportId}`, cleanUpExport(tenant, exportId, { deps: exportCleanUpDeps }));
    return { done: true };
  }
});

/** Reads or writes one range, as the phase of the export says. */
export const shard = stepHandler(ExportShardStep, async (tenant, step) => {
  const { organizationId, exportId, attempt, shard: number } = step;
  const run = { tenant, exportId, attempt, shard: number };
  const done = await answerExportStep(run, async () => {
    await exportShard(run, exportDeps);
    return true;
  });
  return { organizationId, exportId, attempt, shard: number, done: done ?? false, failed: done === undefined };
});

/** Every few minutes: continues exports whose workflow no longer runs, and cleans up after those that have ended. */
export const reap = lambdaHandler(() =>
  reapRunningJobs(exportJobs(exportCleanUpDeps, jobWorkflow('EXPORT_WORKFLOW_ARN')), ({ organizationId }) =>
    unsafeTenant(organizationId, 'record'),
  ),
);

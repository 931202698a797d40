/** Restore tests as the reaper sees them: a run whose workflow died continues in another one, with what must follow a failure. */
import type { JobWorkflow, ReapedKind } from '../../job/index.ts';
import { type Clock, commit, get, iso, randomFraction, set, type Tenant, update } from '../../platform/index.ts';
import { isEnded } from '../model/get-restore-test.ts';
import { type RunningTest, type RunRecord, restoreTestKey, runningTests } from '../model/record.ts';
import { abandonRun } from './abandon-run.ts';

/** A run that so many executions could not end fails, and the alarm of the reaper fires. */
const attemptsMax = 5;

export const testJobs = (clock: Clock, workflow: JobWorkflow): ReapedKind<RunningTest, RunRecord> => {
  /** With `error` in its input the execution begins as the last state of a failed one: it fails the run and removes what it wrote. */
  const startNext = async (tenant: Tenant, item: RunningTest, error?: RunRecord['trouble']): Promise<void> => {
    const { runId, attempt, organizationId, pk, sk } = item;
    if (attempt >= attemptsMax) {
      const run = await get(restoreTestKey.run(tenant, runId));
      if (run && !isEnded(run)) await abandonRun(tenant, run, { clock, random: randomFraction });
      throw new Error(`the restore test ${runId} could not be ended in ${attemptsMax} executions`);
    }
    const next = attempt + 1;
    const trouble = error && { trouble: error };
    await commit([
      update(restoreTestKey.run(tenant, runId), { set: { attempt: next, ...trouble }, expected: { attempt } }),
      set({ pk, sk }, { attempt: next, since: iso(clock.now()) }),
    ]);
    await workflow.start(`${runId}-${next}`, { organizationId, runId, attempt: next, done: false, ...(error && { error }) });
  };
  return {
    name: 'restore test',
    partition: runningTests,
    workflow,
    clock,
    execution: ({ organizationId, runId, attempt }) => ({
      name: `${runId}-${attempt}`,
      input: { organizationId, runId, attempt, done: false },
    }),
    recordKey: (tenant, { runId }) => restoreTestKey.run(tenant, runId),
    reasonOf: ({ trouble }) => trouble ?? { code: 'INTERNAL_ERROR', message: 'The service could not run the test' },
    startFailure: { code: 'INTERNAL_ERROR', message: 'The service could not start the test' },
    fail: (tenant, item, { reason }) => startNext(tenant, item, reason),
    /** All it knows is on the record, so a run that was only waiting goes on. */
    resume: (tenant, item) => startNext(tenant, item),
    /** The transaction that ends a run removes its item; one without a run is that of a deleted organization. */
    cleanUp: async (_tenant, { pk, sk }, { hasFailed }) => (hasFailed ? undefined : commit([{ remove: { pk, sk } }])),
  };
};

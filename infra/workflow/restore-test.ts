/**
 * The workflow of a restore test: one step, repeated until the run has ended. The step keeps its place on the record of the run. While it
 * waits for a restore, a verification or the customer's check, the workflow pauses in between.
 */
import { waitPauses } from '../../shared/contract/runtime/wait-pauses.ts';
import { failed, type Step, task } from './step.ts';

/** Restores take up to a week; an execution that reaches it is stuck. */
export const workflowTimeoutSeconds = 8 * 24 * 3_600;

const pauseState = (seconds: number): string => `Pause ${seconds} s`;
const [{ pauseSeconds: shortest }] = waitPauses;

/** Input and output of the step: `{organizationId, runId, attempt, done, waits, pauseSeconds, waitedSeconds}`. */
export const restoreTestDefinition = ({ restoreTestRun }: Readonly<Record<'restoreTestRun', Step>>) => ({
  Comment: 'Runs a restore test',
  StartAt: 'Run',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    Run: task(restoreTestRun, { onFailure: 'Give up', fields: { Next: 'Run done?' } }),
    'Run done?': {
      Type: 'Choice',
      Choices: [
        { Variable: '$.done', BooleanEquals: true, Next: 'Ended' },
        ...waitPauses.map(({ pauseSeconds }) => ({
          And: [
            { Variable: '$.pauseSeconds', IsPresent: true },
            { Variable: '$.pauseSeconds', NumericEquals: pauseSeconds },
          ],
          Next: pauseState(pauseSeconds),
        })),
        // What a function of an earlier version returns.
        { Variable: '$.waits', BooleanEquals: true, Next: pauseState(shortest) },
      ],
      Default: 'Run',
    },
    ...Object.fromEntries(
      waitPauses.map(({ pauseSeconds }) => [pauseState(pauseSeconds), { Type: 'Wait', Seconds: pauseSeconds, Next: 'Run' }]),
    ),
    // With `error` in its input the step fails the run, and goes on with what must follow: removal and evidence.
    'Give up': task(restoreTestRun, { onFailure: 'Failed', fields: { Next: 'Run done?' } }),
    Ended: { Type: 'Succeed', Comment: 'The record of the run has its outcome' },
    // The reaper continues within minutes; meanwhile the alarm on failed executions fires.
    Failed: failed(),
  },
});

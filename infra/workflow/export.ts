/**
 * The workflow of an export: one step that decides what comes next, and a map over the ranges of the backup whenever it asks for one.
 * The record of the export has its phase. While the backup of a moment is built, the workflow pauses in between.
 */
import { waitPauses } from '../../shared/contract/runtime/wait-pauses.ts';
import { everyShard, failed, ifTrue, type Step, task } from './step.ts';

export const exportSteps = ['exportRun', 'exportShard'] as const;

/** Concurrent ranges of one export. */
export const shardsAtOnce = 10;
/** An execution that reaches it is stuck. */
export const workflowTimeoutSeconds = 7 * 24 * 3_600;
const notRetried = ['JobFailed'];

const pauseState = (seconds: number): string => `Pause ${seconds} s`;

/** Input: `{organizationId, exportId, attempt}`. The result of the step is `$.plan`: `{done, maps?, shards?, pauseSeconds?, waitedSeconds?}`. */
export const exportDefinition = (steps: Readonly<Record<(typeof exportSteps)[number], Step>>, concurrencyMax = shardsAtOnce) => ({
  Comment: 'Exports a backup',
  StartAt: 'Advance',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    Advance: task(steps.exportRun, { onFailure: 'Fail', fields: { ResultPath: '$.plan', Next: 'Advanced?' }, notRetried }),
    'Advanced?': {
      Type: 'Choice',
      Choices: [
        { Variable: '$.plan.done', BooleanEquals: true, Next: 'Ended' },
        ifTrue('$.plan.maps', 'Export'),
        ...waitPauses.map(({ pauseSeconds }) => ({
          And: [
            { Variable: '$.plan.pauseSeconds', IsPresent: true },
            { Variable: '$.plan.pauseSeconds', NumericEquals: pauseSeconds },
          ],
          Next: pauseState(pauseSeconds),
        })),
      ],
      Default: 'Advance',
    },
    ...Object.fromEntries(
      waitPauses.map(({ pauseSeconds }) => [pauseState(pauseSeconds), { Type: 'Wait', Seconds: pauseSeconds, Next: 'Advance' }]),
    ),
    Export: everyShard({
      name: 'Export',
      step: steps.exportShard,
      fields: ['organizationId', 'exportId', 'attempt'],
      notRetried,
      concurrencyMax,
      next: 'Advance',
    }),
    // With `error` in its input the step ends the export.
    Fail: task(steps.exportRun, { onFailure: 'Failed', fields: { ResultPath: null, Next: 'Ended' }, notRetried }),
    Ended: { Type: 'Succeed', Comment: 'The record of the export has its outcome' },
    // The reaper ends the export within minutes; meanwhile the alarm on failed executions fires.
    Failed: failed(),
  },
});

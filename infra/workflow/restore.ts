/**
 * The restore workflow: prepare → check every range → seal the safety backup → write every range → finish. Nothing is written to
 * the target before `Seal` has succeeded. A permanent failure leads to `Fail`, which records it and unlocks the target.
 * An execution that ends there succeeds.
 */
import { everyShard, failed, ifFailed, type Step, task, unlessFailed } from './step.ts';

export const restoreSteps = [
  'restorePrepare',
  'restoreCheck',
  'restoreSeal',
  'restoreWrite',
  'restoreFinish',
  'restoreFail',
] as const;

/** Concurrent ranges. The write rate is limited for the job as a whole. */
export const writersMax = 20;
/** 10,000 writes per second are 6 billion documents a week: an execution that reaches it is stuck. */
export const workflowTimeoutSeconds = 7 * 24 * 3_600;
/** A step returns `failed` once the reason is recorded. An error of this name is not retried either. */
const notRetried = ['JobFailed'];

const shards = { fields: ['organizationId', 'restoreJobId', 'attempt'], notRetried };

/** Input of every step: `{organizationId, restoreJobId, attempt}`. Items of the maps are shard numbers. */
export const restoreDefinition = (steps: Readonly<Record<(typeof restoreSteps)[number], Step>>, concurrencyMax = writersMax) => ({
  Comment: 'Restores a backup',
  StartAt: 'Prepare',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    Prepare: task(steps.restorePrepare, { onFailure: 'Fail', fields: { ResultPath: '$.plan', Next: 'Prepared?' }, notRetried }),
    'Prepared?': unlessFailed('$.plan', 'Fail', 'Check'),
    Check: everyShard({ name: 'Check', step: steps.restoreCheck, ...shards, concurrencyMax, next: 'Seal' }),
    Seal: task(steps.restoreSeal, { onFailure: 'Fail', fields: { ResultPath: '$.seal', Next: 'Sealed?' }, notRetried }),
    'Sealed?': {
      Type: 'Choice',
      Choices: [ifFailed('$.seal', 'Fail'), { Variable: '$.seal.writes', BooleanEquals: false, Next: 'Finish' }],
      Default: 'Write',
    },
    // If one shard fails, others may still be writing: `Fail` waits for them before it unlocks the target.
    Write: everyShard({ name: 'Write', step: steps.restoreWrite, ...shards, concurrencyMax, next: 'Finish' }),
    Finish: task(steps.restoreFinish, { onFailure: 'Fail', fields: { ResultPath: '$.step', Next: 'Finished?' }, notRetried }),
    'Finished?': unlessFailed('$.step', 'Fail', 'Completed'),
    Completed: { Type: 'Succeed' },
    Fail: task(steps.restoreFail, { onFailure: 'Failed', fields: { ResultPath: null, Next: 'Ended' } }),
    Ended: { Type: 'Succeed', Comment: 'The restore failed or was cancelled; its record has the reason' },
    // The reaper ends the restore within minutes; meanwhile the alarm on failed executions fires.
    Failed: failed(),
  },
});

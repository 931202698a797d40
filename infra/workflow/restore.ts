/**
 * Restores a backup: prepare → check every range → seal the safety backup → write every range → finish. Nothing is written to
 * the target before `Seal` has ended well. Whatever goes wrong for good leads to `Fail`, which says so on the record and frees
 * the target; an execution that ends there has done its duty and succeeds.
 */
import { failed, ifFailed, type Step, task, unlessFailed, untilDone } from './step.ts';

export const restoreSteps = [
  'restorePrepare',
  'restoreCheck',
  'restoreSeal',
  'restoreWrite',
  'restoreFinish',
  'restoreFail',
] as const;

/** Ranges at once. Writing is held back by the pace of the whole job, whatever their number. */
export const lanesMax = 20;
/** 10,000 writes a second are 6 billion documents a week; an execution that lives on is stuck, not slow. */
export const workflowTimeoutSeconds = 7 * 24 * 3_600;
/** A step says `failed` once the reason is on the record. Thrown by whatever else knows of it, it is not tried again either. */
const final = ['JobFailed'];

/** Every shard of the plan through one step, as often as it takes. */
const everyShard = (name: string, step: Step, next: string) => ({
  Type: 'Map',
  ItemsPath: '$.plan.shards',
  ItemSelector: {
    'organizationId.$': '$.organizationId',
    'restoreJobId.$': '$.restoreJobId',
    'attempt.$': '$.attempt',
    'shard.$': '$$.Map.Item.Value',
  },
  MaxConcurrency: lanesMax,
  ItemProcessor: {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
    StartAt: `${name} shard`,
    States: {
      ...untilDone(`${name} shard`, step, `${name} failed`, `${name} done`, { final, givenUp: `${name} given up` }),
      [`${name} done`]: { Type: 'Pass', Parameters: {}, End: true },
      [`${name} failed`]: failed,
      [`${name} given up`]: { Type: 'Fail', Error: 'JobFailed', Cause: 'The reason stands on the record of the restore' },
    },
  },
  ResultPath: null,
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Fail' }],
  Next: next,
});

/** Input: `{organizationId, restoreJobId, attempt}`, which every step is given. Items of the maps are shard numbers; what a shard is stands in the table. */
export const restoreDefinition = (steps: Readonly<Record<(typeof restoreSteps)[number], Step>>) => ({
  Comment: 'Restores a backup',
  StartAt: 'Prepare',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    Prepare: task(steps.restorePrepare, 'Fail', { ResultPath: '$.plan', Next: 'Prepared?' }, final),
    'Prepared?': unlessFailed('$.plan', 'Fail', 'Check'),
    Check: everyShard('Check', steps.restoreCheck, 'Seal'),
    Seal: task(steps.restoreSeal, 'Fail', { ResultPath: '$.seal', Next: 'Sealed?' }, final),
    'Sealed?': {
      Type: 'Choice',
      Choices: [ifFailed('$.seal', 'Fail'), { Variable: '$.seal.writes', BooleanEquals: false, Next: 'Finish' }],
      Default: 'Write',
    },
    // Where one shard fails others may still be written: `Fail` waits for them before it frees the target.
    Write: everyShard('Write', steps.restoreWrite, 'Finish'),
    Finish: task(steps.restoreFinish, 'Fail', { ResultPath: '$.step', Next: 'Finished?' }, final),
    'Finished?': unlessFailed('$.step', 'Fail', 'Completed'),
    Completed: { Type: 'Succeed' },
    Fail: task(steps.restoreFail, 'Failed', { ResultPath: null, Next: 'Ended' }),
    Ended: { Type: 'Succeed', Comment: 'The restore failed or was cancelled, and its record says so' },
    // The reaper ends the restore within minutes; the alarm on failed executions rings meanwhile.
    Failed: failed,
  },
});

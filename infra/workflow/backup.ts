/**
 * Makes a backup: prepare → plan → copy every shard → seal → done. Whatever goes wrong for good leads to `Fail`, which says so
 * on the record, frees the project and removes what was stored; an execution that ends there has done its duty and succeeds.
 */
import { backupTimeoutMinutesMax } from '../../shared/contract/limits.ts';
import { failed, type Step, task, unlessFailed, untilDone } from './step.ts';

export const backupSteps = ['backupPrepare', 'backupPlan', 'backupCopy', 'backupSeal', 'backupFail'] as const;

/** Shards copied at once: Firestore streams 170 to 2,900 documents a second each. */
export const copiesMax = 20;
/** The steps themselves keep to the deadline of the backup; this ends what is stuck beyond it. */
export const workflowTimeoutSeconds = backupTimeoutMinutesMax * 60 + 7_200;
/** A step says `failed` once the reason is on the record. Thrown by whatever else knows of it, it is not tried again either. */
const final = ['JobFailed'];

/** Input: `{organizationId, backupId}`. Items of the map are shard numbers; what a shard is stands in the table. */
export const backupDefinition = (steps: Readonly<Record<(typeof backupSteps)[number], Step>>) => ({
  Comment: 'Makes a backup',
  StartAt: 'Prepare',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    Prepare: task(steps.backupPrepare, 'Fail', { ResultPath: '$.step', Next: 'Prepared?' }, final),
    'Prepared?': unlessFailed('$.step', 'Fail', 'Plan'),
    Plan: task(steps.backupPlan, 'Fail', { ResultPath: '$.plan', Next: 'Planned?' }, final),
    'Planned?': unlessFailed('$.plan', 'Fail', 'Copy'),
    Copy: {
      Type: 'Map',
      ItemsPath: '$.plan.shards',
      ItemSelector: {
        'organizationId.$': '$.organizationId',
        'backupId.$': '$.backupId',
        'shard.$': '$$.Map.Item.Value',
      },
      MaxConcurrency: copiesMax,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        StartAt: 'Copy shard',
        States: {
          ...untilDone('Copy shard', steps.backupCopy, 'Shard failed', 'Shard copied', { final, givenUp: 'Shard given up' }),
          'Shard copied': { Type: 'Pass', Parameters: {}, End: true },
          'Shard failed': failed,
          'Shard given up': { Type: 'Fail', Error: 'JobFailed', Cause: 'The reason stands on the record of the backup' },
        },
      },
      ResultPath: null,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Fail' }],
      Next: 'Seal',
    },
    Seal: task(steps.backupSeal, 'Fail', { ResultPath: '$.step', Next: 'Sealed?' }, final),
    'Sealed?': unlessFailed('$.step', 'Fail', 'Completed'),
    Completed: { Type: 'Succeed' },
    Fail: task(steps.backupFail, 'Failed', { ResultPath: null, Next: 'Ended' }),
    Ended: { Type: 'Succeed', Comment: 'The backup failed or was cancelled, and its record says so' },
    // The reaper ends the backup within minutes; the alarm on failed executions rings meanwhile.
    Failed: failed,
  },
});

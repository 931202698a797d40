/**
 * The backup workflow: prepare → plan → copy every shard → seal → done. A permanent failure leads to `Fail`, which records it,
 * unlocks the project and deletes stored objects. An execution that ends there succeeds. A backup whose base turns out to be damaged is
 * planned once more.
 */
import { backupTimeoutMinutesMax } from '../../shared/contract/limits.ts';
import { everyShard, failed, ifFailed, ifTrue, type Step, task, unlessFailed } from './step.ts';

export const backupSteps = ['backupPrepare', 'backupPlan', 'backupCopy', 'backupSeal', 'backupFail'] as const;

/** Concurrent shards; Firestore streams 170 to 2,900 documents per second for each. */
export const copiesMax = 20;
/** The steps enforce the backup's own deadline; this ends executions that are stuck beyond it. */
export const workflowTimeoutSeconds = backupTimeoutMinutesMax * 60 + 7_200;
/** A step returns `failed` once the reason is recorded. An error of this name is not retried either. */
const notRetried = ['JobFailed'];

/** Input: `{organizationId, backupId}`. Items of the map are shard numbers; the shards themselves are in the table. */
export const backupDefinition = (steps: Readonly<Record<(typeof backupSteps)[number], Step>>, concurrencyMax = copiesMax) => ({
  Comment: 'Takes a backup',
  StartAt: 'Prepare',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    Prepare: task(steps.backupPrepare, { onFailure: 'Fail', fields: { ResultPath: '$.step', Next: 'Prepared?' }, notRetried }),
    'Prepared?': unlessFailed('$.step', 'Fail', 'Plan'),
    Plan: task(steps.backupPlan, { onFailure: 'Fail', fields: { ResultPath: '$.plan', Next: 'Planned?' }, notRetried }),
    'Planned?': unlessFailed('$.plan', 'Fail', 'Copy'),
    Copy: everyShard({
      name: 'Copy',
      step: steps.backupCopy,
      fields: ['organizationId', 'backupId'],
      concurrencyMax,
      notRetried,
      next: 'Seal',
    }),
    Seal: task(steps.backupSeal, { onFailure: 'Fail', fields: { ResultPath: '$.step', Next: 'Sealed?' }, notRetried }),
    'Sealed?': {
      Type: 'Choice',
      Choices: [ifFailed('$.step', 'Fail'), ifTrue('$.step.again', 'Plan')],
      Default: 'Completed',
    },
    Completed: { Type: 'Succeed' },
    Fail: task(steps.backupFail, { onFailure: 'Failed', fields: { ResultPath: null, Next: 'Ended' } }),
    Ended: { Type: 'Succeed', Comment: 'The backup failed or was cancelled; its record has the reason' },
    // The reaper ends the backup within minutes; meanwhile the alarm on failed executions fires.
    Failed: failed(),
  },
});

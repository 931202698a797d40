/** Checks a backup where it lies, a bounded part at a time. */
import { failed, type Step, task, untilDone } from './step.ts';

/** Terabytes at 100 MB/s; an execution that lives on is stuck, not slow. */
export const workflowTimeoutSeconds = 24 * 3_600;

/** Input and output of the step: `{organizationId, backupId, position, done}`. What it finds it writes to the backup's record. */
export const verifyDefinition = ({ backupVerify }: Readonly<Record<'backupVerify', Step>>) => ({
  Comment: 'Checks a backup where it lies, a bounded part at a time',
  StartAt: 'Verify',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    ...untilDone('Verify', backupVerify, 'Give up', 'Verified'),
    Verified: { Type: 'Succeed' },
    // The step itself tells the record of whatever the store or the key answers; this is a fault of ours, told as such.
    'Give up': task(backupVerify, 'Failed', { ResultPath: null, Next: 'Failed' }),
    Failed: failed,
  },
});

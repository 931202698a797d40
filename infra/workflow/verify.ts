/** The verification workflow: checks a stored backup part by part. */
import { failed, type Step, task, untilDone } from './step.ts';

/** Terabytes at 100 MB/s: an execution that reaches it is stuck. */
export const workflowTimeoutSeconds = 24 * 3_600;

/** Input and output of the step: `{organizationId, backupId, position, done}`. Results are stored in the backup record. */
export const verifyDefinition = ({ backupVerify }: Readonly<Record<'backupVerify', Step>>) => ({
  Comment: 'Verifies a stored backup part by part',
  StartAt: 'Verify',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    ...untilDone('Verify', { step: backupVerify, onFailure: 'Give up', next: 'Verified' }),
    Verified: { Type: 'Succeed' },
    // The step itself records errors of the store or the key, so this is a fault of the service.
    'Give up': task(backupVerify, { onFailure: 'Failed', fields: { ResultPath: null, Next: 'Failed' } }),
    Failed: failed(),
  },
});

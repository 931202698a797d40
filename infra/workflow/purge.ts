/** The purge workflow: each step deletes a bounded part of an organization and returns whether more remains. */
import { failed, type Step, untilDone } from './step.ts';

/** Longer than any purge: an execution that reaches it is stuck. */
export const workflowTimeoutSeconds = 24 * 3_600;

/** Deletes are idempotent, so every step may run again. */
export const purgeDefinition = ({ purge }: Readonly<Record<'purge', Step>>) => ({
  Comment: 'Deletes an organization step by step',
  StartAt: 'Purge',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    ...untilDone('Purge', { step: purge, onFailure: 'Failed', next: 'Purged' }),
    Purged: { Type: 'Succeed' },
    // The sweep starts it again within the hour; meanwhile the alarm on failed executions fires.
    Failed: failed(),
  },
});

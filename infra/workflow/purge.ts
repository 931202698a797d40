/** Removes an organization piece by piece: each step removes a bounded part and says whether anything is left. */
import { failed, type Step, untilDone } from './step.ts';

/** Longer than any purge takes; an execution that lives on is stuck, not slow. */
export const workflowTimeoutSeconds = 24 * 3_600;

/** Removing what is already gone is no error, so every step may run again. */
export const purgeDefinition = ({ purge }: Readonly<Record<'purge', Step>>) => ({
  Comment: 'Removes an organization piece by piece',
  StartAt: 'Purge',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    ...untilDone('Purge', purge, 'Failed', 'Purged'),
    Purged: { Type: 'Succeed' },
    // The sweep asks again within the hour; the alarm on failed executions rings meanwhile.
    Failed: failed,
  },
});

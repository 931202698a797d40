import { after } from '../platform/index.ts';
import type { Reason } from './running-job.ts';

/** The workflow of a kind of job, as the reaper sees it. Executions are found by their names. */
export interface JobWorkflow {
  describe(name: string): Promise<Execution>;
  start(name: string, input: Readonly<Record<string, unknown>>): Promise<void>;
  stop(name: string, cause: string): Promise<void>;
}

export type Execution = 'running' | 'ended' | 'unknown';

/** A start task reaches its queue within seconds; after this long it is lost or dead-lettered. */
const startMaxSeconds = 300;
/** Steps notice within seconds that the job has ended; a workflow that still runs this long after is stuck. */
const graceSeconds = 1_800;
/** After this long the objects that a destination refuses to delete stay. */
const cleanUpMaxSeconds = 24 * 3_600;

export interface ReapingCase {
  /** The job as it is now; undefined if its record is gone. */
  readonly job: { readonly status: string; readonly completedAt: string | null; readonly deadline?: string | null } | undefined;
  /** Its item in the partition of running jobs. */
  readonly item: { readonly since: string; readonly restartedAt?: string; readonly dueAt?: string };
  readonly execution: Execution;
  readonly now: Date;
  /** Why the job fails if its workflow cannot continue. */
  readonly reason: () => Reason;
  /** Why it fails if its workflow did not start. */
  readonly startFailure: Reason;
}

/** A `Reason`: the job fails with it. */
export type ReapingDecision = 'leave' | 'start' | 'clean' | 'give-up' | Reason;

/** What the reaper does with a job. Pure, so that tests cover every case. */
export const decideJobReaping = ({ job, item, execution, now, reason, startFailure }: ReapingCase): ReapingDecision => {
  const { since, restartedAt, dueAt } = item;
  const isOlder = (moment: string | null | undefined, seconds: number): boolean =>
    moment != null && Date.parse(moment) <= after(now, -seconds).getTime();
  if (!job) return 'clean';
  const { status, deadline, completedAt } = job;
  if (status === 'pending' || status === 'running') {
    // Past its deadline the steps end it themselves, once their current attempt is over.
    if (isOlder(deadline, graceSeconds)) return reason();
    if (execution === 'running') return 'leave';
    if (execution === 'ended') return reason();
    // There is no such execution: the task that starts it is under way, or lost.
    if (!isOlder(restartedAt ?? since, startMaxSeconds)) return 'leave';
    return restartedAt === undefined ? 'start' : startFailure;
  }
  const endedAt = completedAt ?? deadline ?? since;
  if (isOlder(dueAt ?? endedAt, cleanUpMaxSeconds)) return 'give-up';
  // The workflow cleans up by itself, unless it is stuck.
  return execution === 'running' && !isOlder(endedAt, graceSeconds) ? 'leave' : 'clean';
};

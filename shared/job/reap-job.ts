/** Ends, restarts or cleans up after a job whose workflow died, never started or ran out of time. */
import {
  after,
  type Clock,
  commit,
  describeExecution,
  type ExecutionState,
  get,
  type Item,
  iso,
  type Key,
  log,
  set,
  startWorkflow,
  stopWorkflow,
  type Tenant,
} from '../platform/index.ts';
import { markSeconds } from './mark-moving.ts';
import type { Reason } from './running-job.ts';

/** The workflow of a kind of job, as the reaper sees it. Executions are found by their names. */
export interface JobWorkflow {
  describe(name: string): Promise<Execution>;
  start(name: string, input: Readonly<Record<string, unknown>>): Promise<void>;
  stop(name: string, cause: string): Promise<void>;
}

export type Execution = ExecutionState;

export const jobWorkflow = (
  arn: 'BACKUP_WORKFLOW_ARN' | 'RESTORE_WORKFLOW_ARN' | 'RESTORE_TEST_WORKFLOW_ARN' | 'EXPORT_WORKFLOW_ARN',
): JobWorkflow => ({
  describe: (name) => describeExecution(arn, name),
  start: (name, input) => startWorkflow(arn, name, input),
  stop: (name, cause) => stopWorkflow(arn, name, cause),
});

/** Marks a job that runs, or has ended and is not cleaned up yet. */
export interface RunningJobItem extends Item {
  readonly organizationId: string;
  readonly since: string;
  /** When the reaper started the workflow because the start task was lost. */
  readonly restartedAt?: string;
  /** Of a job that has ended: its clean-up waits until then. */
  readonly dueAt?: string;
  /** Of a job that can be resumed: the attempt the item belongs to. */
  readonly attempt?: number;
}

export interface ReapedJob {
  readonly status: string;
  readonly completedAt: string | null;
  readonly deadline?: string | null;
  /** When one of its workers was last seen. */
  readonly seenAt?: string;
  readonly attempt?: number;
}

/** What the reaper needs to know about a kind of job. */
export interface ReapedKind<I extends RunningJobItem, J extends ReapedJob> {
  readonly name: 'backup' | 'restore' | 'restore test' | 'export';
  readonly partition: string;
  readonly workflow: JobWorkflow;
  readonly clock: Clock;
  execution(item: I): { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
  /** The key of its record. */
  recordKey(tenant: Tenant, item: I): Key<J>;
  /** Why a job fails whose workflow has ended or is past its deadline. */
  reasonOf(job: J, now: Date): Reason;
  readonly startFailure: Reason;
  fail(tenant: Tenant, item: I, failure: { readonly reason: Reason; readonly now: Date }): Promise<void>;
  /** Continues a job in another execution, because no step of its last one failed. Without it such a job fails. */
  resume?(tenant: Tenant, item: I, now: Date): Promise<void>;
  /** `isGivenUp`: objects that the store does not delete stay. `hasFailed`: `fail` was called just before. */
  cleanUp(tenant: Tenant, item: I, state: { readonly isGivenUp: boolean; readonly hasFailed: boolean }): Promise<void>;
}

export const reapJob = async <I extends RunningJobItem, J extends ReapedJob>(
  kind: ReapedKind<I, J>,
  tenant: Tenant,
  item: I,
): Promise<void> => {
  const { workflow, clock } = kind;
  if (item.dueAt !== undefined && item.dueAt > iso(clock.now())) return;
  const { name, input } = kind.execution(item);
  // In this order: a workflow that has ended writes nothing more.
  const execution = await workflow.describe(name);
  const job = (await get(kind.recordKey(tenant, item))) as J | undefined;
  const now = clock.now();
  const decision = decideReaping(kind, { job, item, execution, now });
  if (decision === 'leave') return;
  const verdict = typeof decision === 'string' ? decision : decision.code;
  log.warn(`reaping a ${kind.name}`, { execution: name, state: execution, verdict });
  if (decision === 'start') {
    const { pk, sk, attempt } = item;
    await commit([set({ pk, sk }, { restartedAt: iso(now) }, { expected: { attempt } })]);
    return workflow.start(name, input);
  }
  if (decision === 'resume') return kind.resume?.(tenant, item, now);
  // Stopped before anything is released, so that no step starts afterwards.
  if (execution === 'running') await workflow.stop(name, 'given up by the reaper');
  const hasFailed = typeof decision !== 'string';
  if (hasFailed) await kind.fail(tenant, item, { reason: decision, now });
  await kind.cleanUp(tenant, item, { isGivenUp: decision === 'give-up', hasFailed });
};

/** A start task reaches its queue within seconds; after this long it is lost or dead-lettered. */
const startMaxSeconds = 300;
/** Steps notice within seconds that the job has ended; a workflow that still runs this long after is stuck. */
const graceSeconds = 1_800;
/** After this long the objects that a destination refuses to delete stay. */
const cleanUpMaxSeconds = 24 * 3_600;

/** A job that moved within so many seconds has a worker. */
const quietSeconds = 3 * markSeconds;

/** Whether to ask for the workflow of a job. What runs within its deadline and has moved lately is left alone. */
export const mayNeedReaping = (job: ReapedJob | undefined, { dueAt }: RunningJobItem, now: Date): boolean => {
  if (dueAt !== undefined && dueAt > iso(now)) return false;
  const isSeen = job?.seenAt !== undefined && job.seenAt > iso(after(now, -quietSeconds));
  if (job?.status !== 'running' || !isSeen) return true;
  return job.deadline != null && job.deadline <= iso(after(now, -graceSeconds));
};

interface ReapingCase<I, J> {
  /** The job as it is now; undefined if its record is gone. */
  readonly job: J | undefined;
  readonly item: I;
  readonly execution: Execution;
  readonly now: Date;
}

type ReapingDecision = 'leave' | 'start' | 'resume' | 'clean' | 'give-up' | Reason;

/** Pure, so that tests cover every case. */
export const decideReaping = <I extends RunningJobItem, J extends ReapedJob>(
  { reasonOf, startFailure, resume }: Pick<ReapedKind<I, J>, 'reasonOf' | 'startFailure' | 'resume'>,
  { job, item: { since, restartedAt, dueAt, attempt }, execution, now }: ReapingCase<I, J>,
): ReapingDecision => {
  const isOlder = (moment: string | null | undefined, seconds: number): boolean =>
    moment != null && Date.parse(moment) <= after(now, -seconds).getTime();
  if (!job) return 'clean';
  // Resumed since the item was read; that attempt has another execution.
  if (job.attempt !== attempt) return 'leave';
  const { status, deadline, completedAt } = job;
  if (status === 'pending' || status === 'running') {
    // Past its deadline the steps end it themselves, once their current attempt is over.
    if (isOlder(deadline, graceSeconds)) return reasonOf(job, now);
    if (execution === 'running') return 'leave';
    if (execution === 'cut-off' && resume) return 'resume';
    if (execution !== 'unknown') return reasonOf(job, now);
    // There is no such execution: the task that starts it is under way, or lost.
    if (!isOlder(restartedAt ?? since, startMaxSeconds)) return 'leave';
    return restartedAt === undefined ? 'start' : startFailure;
  }
  const endedAt = completedAt ?? deadline ?? since;
  if (isOlder(dueAt ?? endedAt, cleanUpMaxSeconds)) return 'give-up';
  // The workflow cleans up by itself, unless it is stuck.
  return execution === 'running' && !isOlder(endedAt, graceSeconds) ? 'leave' : 'clean';
};

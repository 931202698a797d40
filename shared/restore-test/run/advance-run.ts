/** Continues a run by one step. All that a step learns is on the record, so that the next one may run anywhere. */
import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { id } from '../../contract/fields.ts';
import { type RestoreTestPhase, restoreTestPhases } from '../../contract/models/restore-test.ts';
import { failureOf, JobFailure, reasonOf } from '../../job/index.ts';
import { whileActive } from '../../organization/index.ts';
import {
  after,
  bestEffort,
  commit,
  create,
  get,
  isConflict,
  iso,
  log,
  StaleReadError,
  type Tenant,
} from '../../platform/index.ts';
import { ownerOf, readBackup, reportFoundDamage } from '../../stored-backup/index.ts';
import { isEnded } from '../model/get-restore-test.ts';
import { type RunRecord, restoreTestKey } from '../model/record.ts';
import { checkRun } from './check-run.ts';
import { chooseBackup } from './choose-backup.ts';
import { compareDocuments } from './compare-run.ts';
import { readArchive } from './read-archive.ts';
import { endRun, locksOf, recordRun } from './record-run.ts';
import { concludeUnremoved, pendingRemoval, removeRestored } from './remove-restored.ts';
import { restoreRun } from './restore-run.ts';
import type { RunDeps } from './run-deps.ts';
import { cancelledFailure, concludeWith, phaseAttributes, type RunContext, type RunProgress, setRun } from './run-writes.ts';

export const RunStep = z.object({
  organizationId: id('organization'),
  runId: id('restoreTestRun'),
  attempt: z.int().check(z.minimum(1)),
  done: z.boolean(),
  waits: z.optional(z.boolean()),
  /** How long to pause before the next step, and all pauses since the run last moved; absent in executions of earlier versions. */
  pauseSeconds: z.optional(z.int()),
  waitedSeconds: z.optional(z.int()),
  /** Why all attempts of the previous step failed; then the run fails. */
  error: z.optional(z.unknown()),
});
export type RunStep = z.output<typeof RunStep>;

/** A run that waits for a lock, a job or a limit for longer than this fails. */
const waitMaxSeconds = 24 * 3_600;

const phases: Readonly<Record<RestoreTestPhase, (context: RunContext) => Promise<RunProgress>>> = {
  queued: (context) => beginRun(context),
  choosing: chooseBackup,
  restoring: restoreRun,
  reading: readArchive,
  comparing: compareDocuments,
  checking: checkRun,
  removing: removeRestored,
  recording: recordRun,
  finished: async () => 'done',
};

export const advanceRun = async (
  tenant: Tenant,
  {
    runStep: { runId, attempt, error },
    deadline,
    deps,
  }: { readonly runStep: Pick<RunStep, 'runId' | 'attempt' | 'error'>; readonly deadline: Date; readonly deps: RunDeps },
): Promise<RunProgress> => {
  const run = await get(restoreTestKey.run(tenant, runId));
  if (!run || run.attempt !== attempt || isEnded(run)) return 'done';
  const context: RunContext = { tenant, run, deps, deadline };
  if (error !== undefined) return giveUp(context);
  if (run.cancelRequestedAt !== undefined && isBefore(run, 'removing')) return cancel(context);
  try {
    return await phases[run.phase](context);
  } catch (caught) {
    return afterError(context, caught);
  }
};

const isBefore = ({ phase }: RunRecord, other: RestoreTestPhase): boolean =>
  restoreTestPhases.indexOf(phase) < restoreTestPhases.indexOf(other);

const cancel = async (context: RunContext): Promise<RunProgress> => {
  if (context.run.status === 'running') return concludeWith(context, cancelledFailure);
  const now = context.deps.clock.now();
  const { run } = context;
  return endRun(context, {
    ...run,
    status: 'cancelled',
    phase: 'finished',
    completedAt: iso(now),
    error: { ...cancelledFailure, details: {} },
  });
};

/** Takes the project and the target for this run. Throws JOB_IN_PROGRESS while another run has them. */
const beginRun = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run, deps } = context;
  const now = deps.clock.now();
  const busy = (): ApiError => new ApiError('JOB_IN_PROGRESS', 'Another restore test uses the project or the target');
  await commit([
    setRun(context, { ...phaseAttributes(run, 'choosing', now), status: 'running', startedAt: iso(now), isLocked: true }),
    ...locksOf(run).map((locked) => create({ ...restoreTestKey.lock(tenant, locked), runId: run.id, since: iso(now) }, busy)),
    whileActive(tenant),
  ]);
  return 'again';
};

const waitsFor: readonly string[] = ['JOB_IN_PROGRESS', 'SERVICE_UNAVAILABLE'];

const afterError = async (context: RunContext, error: unknown): Promise<RunProgress> => {
  const { run, deps } = context;
  const failure = permanent(error);
  if (!failure) {
    if (!(error instanceof ApiError && (waitsFor.includes(error.code) || isStale(error)))) {
      await bestEffort('record the error of the step', recordTrouble(context, error));
      throw error;
    }
    const since = run.begun[run.phase] ?? run.createdAt;
    if (deps.clock.now() < after(new Date(since), waitMaxSeconds)) return 'wait';
    return fail(context, new JobFailure('JOB_IN_PROGRESS', `${error.message}; the test has waited for a day`));
  }
  log.warn('a restore test failed', { runId: run.id, phase: run.phase, code: failure.code });
  await reportDamageOf(context, error);
  return fail(context, failure);
};

/** What a comparison cannot read is damaged for others, too. The object may belong to another backup, such as the safety backup. */
const reportDamageOf = async ({ tenant, run, deps }: RunContext, error: unknown): Promise<void> => {
  const { id, backupId } = run;
  if (backupId === null) return;
  const backupOf = async ({ backup: archiveId }: { readonly backup: string }) => {
    const tested = await readBackup(tenant, backupId);
    return archiveId === tested.archive.backup ? tested : ownerOf(tenant, archiveId, tested);
  };
  await reportFoundDamage({ tenant, job: 'restore test', by: id, now: deps.clock.now(), backupOf }, error);
};

/** What was read has changed meanwhile, or is being changed: the next step reads it again. A refusal has no such cause. */
const isStale = (error: unknown): boolean =>
  error instanceof StaleReadError || (isConflict(error) && (error as ApiError).cause !== undefined);

/** Errors that a retry cannot fix. */
const permanent = (error: unknown): JobFailure | undefined => {
  const known = failureOf(error, 'STORAGE_READ_ERROR');
  if (known || !(error instanceof ApiError)) return known;
  const details = error.details;
  if (error.code === 'BACKUP_NOT_FOUND') return new JobFailure('BACKUP_NOT_FOUND', error.message, details);
  if (error.code === 'ORGANIZATION_NOT_FOUND') return new JobFailure('CANCELLED', 'The organization was deleted');
  if (error.code === 'CONFLICT' && !isStale(error)) return new JobFailure('INTERNAL_ERROR', error.message, details);
  if (error.code === 'VALIDATION_ERROR') return new JobFailure('INTERNAL_ERROR', error.message, details);
  return undefined;
};

/** Where a failure leads depends on what is still to be done. */
const fail = (context: RunContext, failure: JobFailure): Promise<RunProgress> => {
  const { run } = context;
  const reason = reasonOf(failure);
  const details = reason.details ?? {};
  if (run.phase === 'removing')
    return concludeUnremoved(context, { removal: run.removal ?? pendingRemoval, reason: failure.message });
  if (run.phase === 'recording') return endWithoutEvidence(context, failure.message);
  return concludeWith(context, { ...reason, details });
};

const endWithoutEvidence = (context: RunContext, message: string): Promise<RunProgress> => {
  const { run, deps } = context;
  const { failure } = run;
  const isCancelled = failure?.code === 'CANCELLED';
  const error =
    failure && failure.code !== 'CANCELLED'
      ? { ...failure, details: { ...failure.details, evidence: message } }
      : { code: 'EVIDENCE_ERROR' as const, message: `The evidence could not be stored: ${message}`, details: {} };
  return endRun(context, {
    ...run,
    status: isCancelled ? 'cancelled' : 'failed',
    phase: 'finished',
    completedAt: run.begun.recording ?? iso(deps.clock.now()),
    error: isCancelled && failure ? { ...failure, details: failure.details ?? {} } : error,
  });
};

const recordTrouble = (context: RunContext, error: unknown): Promise<void> => {
  const { name } = error as Error;
  const message = `The service could not run the test (${context.run.phase}): ${name}`;
  return commit([setRun(context, { trouble: { code: 'INTERNAL_ERROR', message } })]);
};

/** All attempts of a step failed. */
const giveUp = (context: RunContext): Promise<RunProgress> => {
  const { run } = context;
  const message = run.trouble?.message ?? `The service could not run the test (${run.phase})`;
  return fail(context, new JobFailure(run.trouble?.code ?? 'INTERNAL_ERROR', message));
};

import { iso, type Tenant } from '../../platform/index.ts';
import type { RunRecord } from '../model/record.ts';
import { endRun } from './record-run.ts';
import { pendingRemoval, unremovedFailure } from './remove-restored.ts';
import type { RunDeps } from './run-deps.ts';
import { cancelledFailure, type RunProgress } from './run-writes.ts';

/**
 * Ends a run that no execution could end: without evidence, with what it had found, with its event, and releases what it holds. If the
 * target may hold data of the test, that is its failure, as of every run that could not remove it.
 */
export const abandonRun = (tenant: Tenant, run: RunRecord, deps: Pick<RunDeps, 'clock' | 'random'>): Promise<RunProgress> => {
  const { failure, removal } = unremoved(run) ?? { failure: knownFailure(run), removal: run.removal };
  const status = failure.code === 'CANCELLED' ? 'cancelled' : 'failed';
  const error = { ...failure, details: failure.details ?? {} };
  const completedAt = iso(deps.clock.now());
  return endRun({ tenant, run, deps }, { ...run, status, phase: 'finished', completedAt, error, removal });
};

type Failure = NonNullable<RunRecord['failure']>;

const knownFailure = ({ failure, cancelRequestedAt }: RunRecord): Failure => {
  if (failure) return failure;
  return cancelRequestedAt === undefined
    ? { code: 'INTERNAL_ERROR', message: 'The service could not end the test' }
    : cancelledFailure;
};

/** Undefined if nothing was written, if it was removed, or if the run has found before that it could not be. */
const unremoved = (run: RunRecord): { readonly failure: Failure; readonly removal: RunRecord['removal'] } | undefined => {
  const { restoreJobId, removal } = run;
  if (restoreJobId === null || (removal && removal.status !== 'pending')) return undefined;
  const failure = unremovedFailure(run, 'the service could not end the test');
  return { failure, removal: { ...(removal ?? pendingRemoval), status: 'failed', message: failure.message } };
};

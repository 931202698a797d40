/** Cancels a run, and takes the answer of a customer's check. */
import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type Change, iso, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { isEnded } from '../model/get-restore-test.ts';
import { isOverdue } from '../model/is-overdue.ts';
import { type RunRecord, restoreTestKey } from '../model/record.ts';

interface ChangedRun {
  readonly run: RunRecord;
  readonly change: Change;
}

const staleRead = (): StaleReadError => new StaleReadError();

/** The run ends once what it wrote to its target is removed. */
export const cancelRun = (tenant: Tenant, run: RunRecord, now: Date): ChangedRun => {
  const { id, status, projectId, restoreTestId } = run;
  if (isEnded(run))
    throw new ApiError('CONFLICT', `Only a test that is pending or running can be cancelled. This one is ${status}`, { status });
  const cancelRequestedAt = run.cancelRequestedAt ?? iso(now);
  return {
    run: { ...run, cancelRequestedAt },
    change: {
      writes: [
        set(restoreTestKey.run(tenant, id), { cancelRequestedAt }, { expected: { status }, onConditionFailed: staleRead }),
      ],
      audit: [auditNote(tenant, { type: 'restore_test', id: restoreTestId, details: { runId: id, projectId } })],
    },
  };
};

/** Only while the run waits for it, and in time; the first answer counts. */
export const answerCheck = (
  tenant: Tenant,
  run: RunRecord,
  { result, message, now }: { readonly result: 'pass' | 'fail'; readonly message: string | null; readonly now: Date },
): ChangedRun => {
  const { id, status, check, restoreTestId, projectId } = run;
  if (status !== 'running' || check?.status !== 'waiting')
    throw new ApiError('CONFLICT', 'The test does not wait for the result of a check', {
      status,
      check: check?.status ?? null,
    });
  if (isOverdue(check, now))
    throw new ApiError('CONFLICT', `The result comes too late: the check had ${check.timeoutSeconds} seconds`, {
      status,
      check: 'timeout',
    });
  const answered = { ...check, status: result === 'pass' ? 'passed' : 'failed', message, answeredAt: iso(now) } as const;
  return {
    run: { ...run, check: answered },
    change: {
      writes: [
        set(restoreTestKey.run(tenant, id), { check: answered }, { expected: { status, check }, onConditionFailed: staleRead }),
      ],
      audit: [auditNote(tenant, { type: 'restore_test', id: restoreTestId, details: { runId: id, projectId, result } })],
    },
  };
};
